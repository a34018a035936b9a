#include "padless/train/metrics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "padless/core/error.h"

namespace padless {
namespace {

using Ids = std::vector<std::int32_t>;
using Numbers = std::vector<double>;
using Counts = std::vector<ClassCounts>;

TEST(ClassificationMetrics, CountHitsAndAverageTheClassesF1) {
  // Class 0: 2 hits of 2 said and 3 real, F1 0.8; class 1: 1 of 2 and 1, F1 2/3; 2 never occurs.
  const auto metrics = classification_metrics(Ids{0, 0, 1, 1}, Ids{0, 0, 0, 1}, 3);
  EXPECT_DOUBLE_EQ(metrics.accuracy, 0.75);
  EXPECT_DOUBLE_EQ(metrics.macro_f1, (0.8 + 2.0 / 3) / 2);
  EXPECT_EQ(metrics.count, 4u);
  EXPECT_EQ(metrics.unseen, 0u);
  EXPECT_EQ(metrics.classes, (Counts{{.texts = 3, .predicted = 2, .right = 2},
                                     {.texts = 1, .predicted = 2, .right = 1},
                                     {}}));
  EXPECT_DOUBLE_EQ(metrics.classes[0].precision(), 1);
  EXPECT_DOUBLE_EQ(metrics.classes[0].recall(), 2.0 / 3);
  EXPECT_DOUBLE_EQ(metrics.classes[0].f1(), 0.8);
  EXPECT_DOUBLE_EQ(metrics.classes[1].precision(), 0.5);
  EXPECT_DOUBLE_EQ(metrics.classes[1].recall(), 1);
  for (const double of_nothing :
       {metrics.classes[2].precision(), metrics.classes[2].recall(), metrics.classes[2].f1()}) {
    EXPECT_EQ(of_nothing, 0);
  }
}

TEST(ClassificationMetrics, ALabelUnseenInTrainingCountsAsWrong) {
  const auto metrics = classification_metrics(Ids{0, 1}, Ids{-1, 1}, 2);
  EXPECT_DOUBLE_EQ(metrics.accuracy, 0.5);
  EXPECT_DOUBLE_EQ(metrics.macro_f1, 0.5);
  EXPECT_EQ(metrics.unseen, 1u);
  EXPECT_EQ(metrics.classes, (Counts{{.predicted = 1}, {.texts = 1, .predicted = 1, .right = 1}}));
}

using Sets = std::vector<Ids>;

/// The metrics where exactly these labels are above the threshold.
LabelMetrics metrics_of(const Sets& predicted, const Sets& real, std::size_t labels) {
  Matrix<float> probabilities(predicted.size(), labels);
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    for (const std::int32_t label : predicted[i]) {
      probabilities(i, static_cast<std::size_t>(label)) = 1;
    }
  }
  return label_metrics(probabilities.view(), real, 0.5f);
}

// Label 0: found in 1 of 2 texts, predicted once: F1 2/3. Label 1: found once of once, predicted
// twice: 2/3. Label 2: never real, predicted once: 0. Label 3 never occurs.
TEST(LabelMetrics, CountLabelsTogetherByLabelAndByText) {
  const auto metrics = metrics_of({{0, 1}, {1, 2}, {}, {}}, {{0, 1}, {}, {0}, {}}, 4);
  EXPECT_DOUBLE_EQ(metrics.micro_f1, 2 * 2.0 / (4 + 3));
  EXPECT_DOUBLE_EQ(metrics.macro_f1, (2.0 / 3 + 2.0 / 3 + 0) / 3);
  EXPECT_DOUBLE_EQ(metrics.subset_accuracy, 0.5);
  EXPECT_EQ(metrics.count, 4u);
  EXPECT_EQ(metrics.unseen, 0u);
  EXPECT_EQ(metrics.labels, (Counts{{.texts = 2, .predicted = 1, .right = 1},
                                    {.texts = 1, .predicted = 2, .right = 1},
                                    {.predicted = 1},
                                    {}}));
}

TEST(LabelMetrics, AverageThePrecisionAtEachTextThatHasTheLabel) {
  // Label 0 by rank: yes, no, yes: (1/1 + 2/3) / 2. Label 1: the two of 0.7 stand together: (1/2 +
  // 2/3) / 2. Label 2: nobody has it.
  const std::vector<float> cells = {0.9f, 0.7f, 0.1f, 0.8f, 0.7f, 0.9f, 0.2f, 0.6f, 0.3f};
  const MatrixView<const float> probabilities(cells.data(), 3, 3);
  const Sets real = {{0}, {1}, {0, 1}};
  const auto metrics = label_metrics(probabilities, real, 0.5f);
  EXPECT_DOUBLE_EQ(metrics.mean_average_precision,
                   ((1 + 2.0 / 3) / 2 + (1.0 / 2 + 2.0 / 3) / 2) / 2);
  EXPECT_EQ(label_metrics(probabilities, real, 0.99f).mean_average_precision,
            metrics.mean_average_precision);
}

TEST(LabelMetrics, TakeWhatIsAboveTheThresholdAndNotWhatIsAtIt) {
  const std::vector<float> cells = {0.5f, 0.6f};
  const auto metrics = label_metrics({cells.data(), 1, 2}, Sets{{1}}, 0.5f);
  EXPECT_EQ(metrics.subset_accuracy, 1);
  EXPECT_EQ(label_metrics({cells.data(), 1, 2}, Sets{{1}}, 0.4f).subset_accuracy, 0);
}

TEST(LabelMetrics, OfAProbabilityThatIsNoNumberAreThoseOfTheLowest) {
  const std::vector<float> cells = {std::nanf(""), 0.0f, 0.5f};
  const auto metrics = label_metrics({cells.data(), 3, 1}, Sets{{0}, {}, {0}}, 0.25f);
  EXPECT_DOUBLE_EQ(metrics.mean_average_precision, (1 + 2.0 / 3) / 2);
  EXPECT_DOUBLE_EQ(metrics.micro_f1, 2.0 / 3);
}

TEST(LabelMetrics, ALabelUnseenInTrainingIsRealAndNotFound) {
  const auto metrics = metrics_of({{0}, {0}}, {{-1, -1, 0}, {0}}, 1);
  EXPECT_DOUBLE_EQ(metrics.micro_f1, 2 * 2.0 / (2 + 4));
  EXPECT_EQ(metrics.macro_f1, 1);
  EXPECT_EQ(metrics.mean_average_precision, 1);
  EXPECT_EQ(metrics.subset_accuracy, 0.5);
  EXPECT_EQ(metrics.unseen, 1u);
}

TEST(LabelMetrics, OfTextsWithoutLabelsAreZeroButForTheTexts) {
  const auto metrics = metrics_of({{}, {}}, {{}, {}}, 2);
  EXPECT_EQ(metrics.mean_average_precision, 0);
  EXPECT_EQ(metrics.micro_f1, 0);
  EXPECT_EQ(metrics.macro_f1, 0);
  EXPECT_EQ(metrics.subset_accuracy, 1);
}

TEST(LabelMetrics, RefuseLabelsThatAreNoneOrDoNotRise) {
  const auto refusal = [](const Ids& real) -> std::string {
    try {
      metrics_of({{}, {}}, {{}, real}, 2);
    } catch (const ValueError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(refusal({1, 1}),
            "label_metrics: text 1 has the label 1, expected rising ones from -1 to less than 2");
  EXPECT_NE(refusal({2}), "accepted");
  EXPECT_NE(refusal({-2}), "accepted");
  EXPECT_NE(refusal({0, -1}), "accepted");
  EXPECT_EQ(refusal({-1, -1, 1}), "accepted");
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
  EXPECT_EQ(classification_metrics(Ids{}, Ids{}, 2).classes, Counts(2));
  EXPECT_EQ(metrics_of({}, {}, 2).micro_f1, 0);
  EXPECT_EQ(regression_metrics(Numbers{}, Numbers{}).mae, 0);
}

TEST(Metrics, RefuseSizesThatDiffer) {
  EXPECT_THROW(classification_metrics(Ids{0}, Ids{}, 2), ShapeError);
  EXPECT_THROW(metrics_of({{0}}, {}, 2), ShapeError);
  EXPECT_THROW(regression_metrics(Numbers{0}, Numbers{}), ShapeError);
}

}  // namespace
}  // namespace padless
