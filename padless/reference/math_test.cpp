#include "padless/reference/math.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "padless/core/coefficients.h"
#include "padless/core/isa.h"
#include "padless/testing/bits.h"
#include "padless/testing/elementary.h"

namespace padless {
namespace {

namespace math = reference::math;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

/// The worst of about a million floats spread over all bit patterns.
template <class Function>
double worst_of_a_sample() {
  std::vector<float> x, found;
  for (std::uint64_t bits = 0; bits <= 0xffffffff; bits += 4099) {
    x.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  }
  found.resize(x.size());
  (testing::elementary(Isa::scalar).*Function::kKernel)(x.data(), x.size(), found.data());
  const Function function;
  testing::WorstUlp worst;
  for (std::size_t i = 0; i < x.size(); ++i) {
    worst.add({testing::error_of(function, found[i], x[i]), x[i]});
  }
  return worst.ulp;
}

// The bounds over all floats: docs/numerics.md, measured by math_exhaustive_test.cpp.
TEST(Math, ASampleOfFloatsKeepsTheBounds) {
  EXPECT_LE(worst_of_a_sample<testing::Exp>(), 0.9);
  EXPECT_LE(worst_of_a_sample<testing::Tanh>(), 1.6);
  EXPECT_LE(worst_of_a_sample<testing::Sigmoid>(), 2.5);
  EXPECT_LE(worst_of_a_sample<testing::Log>(), 1.4);
  EXPECT_LE(worst_of_a_sample<testing::NormalBelow>(), 6);
  EXPECT_LE(worst_of_a_sample<testing::GeluTanh>(), 3.2);
}

void expect_bits(float found, float expected) {
  EXPECT_EQ(testing::bits(found), testing::bits(expected)) << found << ", expected " << expected;
}

TEST(Math, ExpIsExactlyZeroOrNormalAtItsLowerEnd) {
  const float lowest = coefficients::kExpLowest;
  EXPECT_EQ(lowest, -87.3f);
  EXPECT_GE(math::exp(lowest), std::numeric_limits<float>::min());
  expect_bits(math::exp(std::nextafter(lowest, -kInfinity)), 0);
  expect_bits(math::exp(-kInfinity), 0);
  expect_bits(math::exp(std::numeric_limits<float>::lowest()), 0);
}

TEST(Math, ExpIsFiniteUpToTheLargestFloat) {
  const float highest = coefficients::kExpHighest;
  EXPECT_TRUE(std::isfinite(math::exp(highest)));
  // The next float's exponential is beyond the largest.
  const float above = std::nextafter(highest, kInfinity);
  EXPECT_GT(std::exp(double{above}), std::numeric_limits<float>::max());
  expect_bits(math::exp(above), kInfinity);
  expect_bits(math::exp(kInfinity), kInfinity);
}

TEST(Math, EdgesGiveWhatTheyMust) {
  for (const float zero : {0.0f, -0.0f}) {
    expect_bits(math::exp(zero), 1);
    EXPECT_EQ(math::tanh(zero), 0);
    expect_bits(math::sigmoid(zero), 0.5f);
    expect_bits(math::log(zero), -kInfinity);
  }
  expect_bits(math::tanh(kInfinity), 1);
  expect_bits(math::tanh(-kInfinity), -1);
  expect_bits(math::sigmoid(kInfinity), 1);
  expect_bits(math::sigmoid(-kInfinity), 0);
  expect_bits(math::log(1.0f), 0);
  expect_bits(math::log(kInfinity), kInfinity);
  expect_bits(math::log(-1.0f), kNaN);
  expect_bits(math::log(-kInfinity), kNaN);
  expect_bits(math::exp(kNaN), kNaN);
  expect_bits(math::tanh(kNaN), kNaN);
  expect_bits(math::sigmoid(kNaN), kNaN);
  expect_bits(math::log(kNaN), kNaN);
}

TEST(Math, SmallNumbersKeepTheirTanh) {
  for (const float x : {0x1p-149f, 0x1.8p-140f, 0x1p-126f, 0x1p-30f}) {
    expect_bits(math::tanh(x), x);
    expect_bits(math::tanh(-x), -x);
  }
}

TEST(Math, MaxTakesTheSecondUnlessTheFirstIsGreater) {
  expect_bits(math::max(0.0f, -0.0f), -0.0f);
  expect_bits(math::max(-0.0f, 0.0f), 0.0f);
  expect_bits(math::max(kNaN, 1.0f), 1);
  expect_bits(math::max(1.0f, kNaN), kNaN);
  expect_bits(math::max(2.0f, 1.0f), 2);
}

// By hand: element i goes to lane i mod 16; lanes 8 apart first, then 4, 2, 1.
TEST(Lanes16, AddInTheStatedOrder) {
  math::Lanes16<float> sum;
  float lanes[16] = {};
  for (std::size_t i = 0; i < 37; ++i) {
    const float value = 1.0f / static_cast<float>(3 + i * i);
    sum.add(i, value);
    lanes[i % 16] += value;
  }
  const auto pair = [&](int l) { return lanes[l] + lanes[l + 8]; };
  const auto four = [&](int l) { return pair(l) + pair(l + 4); };
  const float expected = (four(0) + four(2)) + (four(1) + four(3));
  expect_bits(sum.total(), expected);
}

}  // namespace
}  // namespace padless
