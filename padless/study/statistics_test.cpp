#include "padless/study/statistics.h"

#include <gtest/gtest.h>

#include <vector>

#include "padless/core/error.h"

namespace padless::study {
namespace {

TEST(Student, QuantilesAreThoseOfTheTables) {
  // As printed, to three decimals, in every table of the distribution.
  EXPECT_NEAR(student_quantile(0.975, 1), 12.706, 0.0005);
  EXPECT_NEAR(student_quantile(0.975, 2), 4.303, 0.0005);
  EXPECT_NEAR(student_quantile(0.975, 3), 3.182, 0.0005);
  EXPECT_NEAR(student_quantile(0.975, 4), 2.776, 0.0005);
  EXPECT_NEAR(student_quantile(0.95, 9), 1.833, 0.0005);
  EXPECT_NEAR(student_quantile(0.975, 30), 2.042, 0.0005);
}

TEST(Student, DistributionIsSymmetric) {
  for (const std::size_t degrees : {1u, 2u, 5u, 8u}) {
    EXPECT_DOUBLE_EQ(student_cdf(0, degrees), 0.5);
    EXPECT_DOUBLE_EQ(student_cdf(-1.3, degrees) + student_cdf(1.3, degrees), 1);
    EXPECT_NEAR(student_quantile(0.025, degrees), -student_quantile(0.975, degrees), 1e-12);
  }
}

TEST(Estimate, IsTheMeanWithStudentsInterval) {
  const std::vector<double> values = {1, 2, 3};
  const Estimate e = estimate(values);
  EXPECT_EQ(e.count, 3u);
  EXPECT_DOUBLE_EQ(e.mean, 2);
  // Deviation 1, standard error 1/sqrt(3), t = 4.303.
  EXPECT_NEAR(e.half.value_or(0), 2.4841, 0.0005);
  EXPECT_TRUE(e.excludes(-1));
  EXPECT_FALSE(e.excludes(0));
}

TEST(Estimate, OfOneValueHasNoInterval) {
  const std::vector<double> one = {0.5};
  EXPECT_FALSE(estimate(one).half.has_value());
  EXPECT_FALSE(estimate(one).excludes(100));
  EXPECT_THROW(estimate({}), ValueError);
}

TEST(PairedDifference, TakesWhatSeedsShareOut) {
  const std::vector<double> a = {0.7, 0.5, 0.6}, b = {0.6, 0.4, 0.5};
  const Estimate e = paired_difference(a, b);
  EXPECT_NEAR(e.mean, 0.1, 1e-15);
  EXPECT_TRUE(e.excludes(0));
  EXPECT_THROW(paired_difference(a, {}), ShapeError);
}

TEST(Quantile, LiesBetweenNeighbours) {
  const std::vector<double> values = {4, 1, 3, 2};
  EXPECT_DOUBLE_EQ(quantile(values, 0), 1);
  EXPECT_DOUBLE_EQ(quantile(values, 1), 4);
  EXPECT_DOUBLE_EQ(quantile(values, 0.5), 2.5);
  EXPECT_THROW(quantile(values, 1.5), ValueError);
}

}  // namespace
}  // namespace padless::study
