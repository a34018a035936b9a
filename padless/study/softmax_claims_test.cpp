#include "padless/study/softmax_claims.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "padless/study/usual_ways.h"
#include "padless/testing/xml.h"

namespace padless::study {
namespace {

using viz::Verdict;

const Json* find(const Json& object, std::string_view key) {
  for (const auto& [name, value] : *object.get_if<Json::Object>()) {
    if (name == key) return &value;
  }
  ADD_FAILURE() << "no key " << key;
  return nullptr;
}

std::vector<double> numbers(const Finding& finding, std::string_view key) {
  std::vector<double> out;
  const Json* found = find(finding.numbers, key);
  if (found == nullptr) return out;
  for (const Json& cell : *found->get_if<Json::Array>()) {
    out.push_back(cell.is_null() ? std::nan("") : *cell.get_if<double>());
  }
  return out;
}

double number(const Finding& finding, std::string_view key) {
  return *find(finding.numbers, key)->get_if<double>();
}

// Equal to the four decimals that are printed of the truth.
void expect_four_decimals(const std::vector<double>& found, const std::vector<double>& printed) {
  ASSERT_EQ(found.size(), printed.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], printed[i], 0.5e-4) << i;
}

void expect_readable(const Finding& finding) {
  EXPECT_FALSE(finding.because.empty());
  EXPECT_EQ(testing::xml_fault("<main>" + finding.blocks.html() + "</main>"), "") << finding.id;
  EXPECT_GE(testing::count_of("<svg", finding.blocks.html()), 1u) << finding.id;
}

TEST(SoftmaxClaims, ZeroPadsWaterDownButNotToTheNumbersTold) {
  Runtime runtime;
  const Finding s1 = zero_pads_water_down(runtime);
  expect_four_decimals(numbers(s1, "float64"), {0.2075, 0.2293, 0.1877, 0.1877, 0.1877});
  expect_four_decimals(numbers(s1, "exact"), {0.4750, 0.5250, 0, 0, 0});
  EXPECT_NEAR(number(s1, "mass_lost"), 0.5632, 0.5e-4);
  EXPECT_EQ(s1.verdict, Verdict::mixed);
  expect_readable(s1);
}

TEST(SoftmaxClaims, MultiplyingAndRenormalisingLeavesThePadsOut) {
  Runtime runtime;
  const Finding s2 = multiplying_gives_the_weights(runtime);
  expect_four_decimals(numbers(s2, "float64"), {0.4750, 0.5250, 0, 0, 0});
  expect_four_decimals(numbers(s2, "keys_alone"), {0.4750, 0.5250, 0, 0, 0});
  EXPECT_EQ(s2.verdict, Verdict::holds);
  expect_readable(s2);
}

TEST(SoftmaxClaims, MultiplyingIsUndefinedFarBelowZeroAndItsBitsDependOnPads) {
  Runtime runtime;
  const Finding s3 = multiplying_is_a_fix(runtime);
  expect_four_decimals(numbers(s3, "float64"), {0.7311, 0.2689, 0, 0, 0});
  expect_four_decimals(numbers(s3, "exact"), {0.7311, 0.2689, 0, 0, 0});
  for (const double weight : numbers(s3, "float32")) EXPECT_TRUE(std::isnan(weight));
  EXPECT_GT(*find(s3.numbers, "bit_patterns")->get_if<std::int64_t>(), 1);
  EXPECT_EQ(s3.verdict, Verdict::fails);
  expect_readable(s3);
}

TEST(SoftmaxClaims, Minus10000LosesToLogitsBelowIt) {
  Runtime runtime;
  const Finding s4 = minus_10000_makes_pads_vanish(runtime);
  EXPECT_EQ(number(s4, "ordinary_pad_mass"), 0);
  expect_four_decimals(numbers(s4, "float32"), {0, 0, 1.0 / 3, 1.0 / 3, 1.0 / 3});
  expect_four_decimals(numbers(s4, "exact"), {0.7311, 0.2689, 0, 0, 0});
  for (const double weight : numbers(s4, "full_row_exact")) EXPECT_EQ(weight, 0);
  // 10000 has an ulp of 2^-10, so that each logit is off by half of that at most.
  EXPECT_LT(number(s4, "full_row_difference"), 1.0 / 1024);
  EXPECT_EQ(s4.verdict, Verdict::mixed);
  expect_readable(s4);
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
