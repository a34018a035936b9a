#include "padless/train/metrics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "padless/core/error.h"

namespace padless {
namespace {

using Ids = std::vector<std::int32_t>;
using Numbers = std::vector<double>;

TEST(ClassificationMetrics, CountHitsAndAverageTheClassesF1) {
  // Class 0: 2 hits of 2 said and 3 real, F1 0.8; class 1: 1 of 2 and 1, F1 2/3; 2 never occurs.
  const auto metrics = classification_metrics(Ids{0, 0, 1, 1}, Ids{0, 0, 0, 1}, 3);
  EXPECT_DOUBLE_EQ(metrics.accuracy, 0.75);
  EXPECT_DOUBLE_EQ(metrics.macro_f1, (0.8 + 2.0 / 3) / 2);
  EXPECT_EQ(metrics.count, 4u);
  EXPECT_EQ(metrics.unseen, 0u);
}

TEST(ClassificationMetrics, ALabelUnseenInTrainingCountsAsWrong) {
  const auto metrics = classification_metrics(Ids{0, 1}, Ids{-1, 1}, 2);
  EXPECT_DOUBLE_EQ(metrics.accuracy, 0.5);
  EXPECT_DOUBLE_EQ(metrics.macro_f1, 0.5);
  EXPECT_EQ(metrics.unseen, 1u);
}

TEST(RegressionMetrics, OfPerfectPredictions) {
  const Numbers values = {3, 1, 2};
  const auto metrics = regression_metrics(values, values);
  EXPECT_EQ(metrics.mae, 0);
  EXPECT_EQ(metrics.r2, 1);
  EXPECT_EQ(metrics.spearman, 1);
}

TEST(RegressionMetrics, RanksShareTheirMeanWhereValuesAreEqual) {
  // Ranks (1.5, 1.5, 3) against (1, 2, 3): correlation 1.5 / sqrt(1.5 * 2).
  const auto metrics = regression_metrics(Numbers{5, 5, 9}, Numbers{1, 2, 3});
  EXPECT_NEAR(metrics.spearman, 0.8660254037844387, 1e-15);
  EXPECT_DOUBLE_EQ(metrics.mae, (4 + 3 + 6) / 3.0);
  EXPECT_DOUBLE_EQ(metrics.r2, 1 - (16 + 9 + 36) / 2.0);
}

TEST(RegressionMetrics, OfConstantTargetsAreZeroAndNoNaN) {
  const auto metrics = regression_metrics(Numbers{1, 2}, Numbers{7, 7});
  EXPECT_EQ(metrics.r2, 0);
  EXPECT_EQ(metrics.spearman, 0);
}

TEST(RegressionMetrics, OfAPredictionThatIsNoNumberAreNaN) {
  const auto metrics = regression_metrics(Numbers{1, std::nan("")}, Numbers{1, 2});
  EXPECT_TRUE(std::isnan(metrics.mae));
  EXPECT_TRUE(std::isnan(metrics.spearman));
}

TEST(ClassificationMetrics, RefuseAClassBeyondTheLast) {
  EXPECT_THROW(classification_metrics(Ids{2}, Ids{0}, 2), ValueError);
  EXPECT_THROW(classification_metrics(Ids{0}, Ids{2}, 2), ValueError);
}

TEST(Metrics, OfNothingAreZero) {
  EXPECT_EQ(classification_metrics(Ids{}, Ids{}, 2).accuracy, 0);
  EXPECT_EQ(regression_metrics(Numbers{}, Numbers{}).mae, 0);
}

TEST(Metrics, RefuseSizesThatDiffer) {
  EXPECT_THROW(classification_metrics(Ids{0}, Ids{}, 2), ShapeError);
  EXPECT_THROW(regression_metrics(Numbers{0}, Numbers{}), ShapeError);
}

}  // namespace
}  // namespace padless
