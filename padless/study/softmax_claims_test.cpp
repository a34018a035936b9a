#include "padless/study/softmax_claims.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "padless/study/finding_for_test.h"
#include "padless/study/usual_ways.h"
#include "padless/testing/xml.h"

namespace padless::study {
namespace {

using testing::count_of;
using testing::xml_fault;

using viz::Verdict;

TEST(SoftmaxClaims, ZeroPadsWaterDownButNotToTheNumbersTold) {
  Runtime runtime;
  const Finding s1 = zero_pads_water_down(runtime);
  EXPECT_EQ(four_decimals(numbers(s1.numbers, "float64")),
            (std::vector<double>{0.2075, 0.2293, 0.1877, 0.1877, 0.1877}));
  EXPECT_EQ(four_decimals(numbers(s1.numbers, "exact")),
            (std::vector<double>{0.4750, 0.5250, 0, 0, 0}));
  EXPECT_NEAR(number(s1.numbers, "mass_lost"), 0.5632, 0.5e-4);
  EXPECT_EQ(s1.verdict, Verdict::mixed);
  EXPECT_EQ(xml_fault(shown(s1)), "");
  EXPECT_GE(count_of("<svg", shown(s1)) + count_of("<table", shown(s1)), 1u);
}

TEST(SoftmaxClaims, MultiplyingAndRenormalisingLeavesThePadsOut) {
  Runtime runtime;
  const Finding s2 = multiplying_gives_the_weights(runtime);
  EXPECT_EQ(four_decimals(numbers(s2.numbers, "float64")),
            (std::vector<double>{0.4750, 0.5250, 0, 0, 0}));
  EXPECT_EQ(four_decimals(numbers(s2.numbers, "exact")),
            (std::vector<double>{0.4750, 0.5250, 0, 0, 0}));
  EXPECT_EQ(four_decimals(numbers(s2.numbers, "keys_alone")),
            (std::vector<double>{0.4750, 0.5250, 0, 0, 0}));
  EXPECT_EQ(s2.verdict, Verdict::holds);
  EXPECT_EQ(xml_fault(shown(s2)), "");
  EXPECT_GE(count_of("<svg", shown(s2)) + count_of("<table", shown(s2)), 1u);
}

TEST(SoftmaxClaims, MultiplyingIsUndefinedFarBelowZeroAndItsBitsDependOnPads) {
  Runtime runtime;
  const Finding s3 = multiplying_is_a_fix(runtime);
  EXPECT_EQ(four_decimals(numbers(s3.numbers, "float64")),
            (std::vector<double>{0.7311, 0.2689, 0, 0, 0}));
  EXPECT_EQ(four_decimals(numbers(s3.numbers, "exact")),
            (std::vector<double>{0.7311, 0.2689, 0, 0, 0}));
  for (const double weight : numbers(s3.numbers, "float32")) EXPECT_TRUE(std::isnan(weight));
  EXPECT_GT(number(s3.numbers, "bit_patterns"), 1);
  EXPECT_EQ(number(s3.numbers, "bit_patterns_exact"), 1);
  EXPECT_EQ(s3.verdict, Verdict::fails);
  EXPECT_EQ(xml_fault(shown(s3)), "");
  EXPECT_GE(count_of("<svg", shown(s3)) + count_of("<table", shown(s3)), 1u);
}

TEST(SoftmaxClaims, Minus10000LosesToLogitsBelowIt) {
  Runtime runtime;
  const Finding s4 = minus_10000_makes_pads_vanish(runtime);
  EXPECT_EQ(number(s4.numbers, "ordinary_pad_mass"), 0);
  EXPECT_EQ(four_decimals(numbers(s4.numbers, "float32")),
            (std::vector<double>{0, 0, 0.3333, 0.3333, 0.3333}));
  EXPECT_EQ(four_decimals(numbers(s4.numbers, "exact")),
            (std::vector<double>{0.7311, 0.2689, 0, 0, 0}));
  for (const double weight : numbers(s4.numbers, "full_row_exact")) EXPECT_EQ(weight, 0);
  // 10000 has an ulp of 2^-10, so that each logit is off by half of that at most.
  EXPECT_LT(number(s4.numbers, "full_row_difference"), 1.0 / 1024);
  EXPECT_EQ(s4.verdict, Verdict::mixed);
  EXPECT_EQ(xml_fault(shown(s4)), "");
  EXPECT_GE(count_of("<svg", shown(s4)) + count_of("<table", shown(s4)), 1u);
}

TEST(UsualWays, WithoutPadsAllAreTheSoftmax) {
  const std::vector<double> logits = {0.3, -1.2, 2.0};
  const std::span<const double> all = logits;
  const std::vector<double> plain = softmax(all);
  EXPECT_NEAR(plain[0] + plain[1] + plain[2], 1, 1e-15);
  EXPECT_NEAR(plain[2] / plain[0], std::exp(1.7), 1e-14);
  const std::vector<double> multiplied = multiply_and_renormalise(all, 3);
  const std::vector<double> added = add_constant(all, 3, -10000);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(multiplied[i], plain[i], 1e-15);
    EXPECT_EQ(added[i], plain[i]);
  }
  EXPECT_TRUE(softmax(std::span<const double>()).empty());
}

}  // namespace
}  // namespace padless::study
