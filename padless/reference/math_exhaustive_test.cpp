// exp, tanh, sigmoid, log, Phi and gelu_tanh against the truth, over all 2^32 floats: the forms of
// this machine's best instruction set, which kernels/elementary_test.cpp holds to the reference's
// bits.

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iomanip>
#include <iostream>

#include "padless/core/runtime.h"
#include "padless/testing/elementary.h"

namespace padless {
namespace {

constexpr std::uint64_t kFloats = std::uint64_t{1} << 32;
constexpr std::uint64_t kItems = 256;
constexpr std::size_t kBlock = 1024;

bool all_equal(const float (&found)[kBlock]) {
  std::uint32_t differences = 0;
  for (const float value : found) {
    differences |= std::bit_cast<std::uint32_t>(value) ^ std::bit_cast<std::uint32_t>(found[0]);
  }
  return differences == 0;
}

template <class Function>
testing::WorstUlp worst_of(const Function& function, Isa isa, std::uint64_t first,
                           std::uint64_t count) {
  const auto kernel = testing::elementary(isa).*Function::kKernel;
  testing::WorstUlp worst;
  float x[kBlock], found[kBlock];
  for (std::uint64_t block = first; block < first + count; block += kBlock) {
    for (std::size_t i = 0; i < kBlock; ++i) {
      x[i] = std::bit_cast<float>(static_cast<std::uint32_t>(block + i));
    }
    kernel(x, kBlock, found);
    // Where what was found stays the same while the truth rises, the ends are the furthest off.
    const bool ends_tell = Function::kRises && all_equal(found);
    for (std::size_t i = 0; i < kBlock; i += ends_tell ? kBlock - 1 : 1) {
      const double ulp = testing::error_of(function, found[i], x[i]);
      if (ulp > worst.ulp) worst = {ulp, x[i]};
    }
  }
  return worst;
}

/// The worst of all floats is at most `bound` (docs/numerics.md).
template <class Function>
void expect_within(double bound) {
  const Function function;
  std::array<testing::WorstUlp, kItems> found;
  Runtime runtime({.threads = 0});
  runtime.parallel_for(kItems, [&](std::size_t item) {
    found[item] = worst_of(function, runtime.isa(), item * (kFloats / kItems), kFloats / kItems);
  });
  testing::WorstUlp worst;
  for (const testing::WorstUlp& item : found) worst.add(item);
  std::cout << Function::kName << ": at most " << std::setprecision(4) << worst.ulp
            << " ulp off, at " << std::hexfloat << worst.at << std::defaultfloat << "\n";
  EXPECT_LE(worst.ulp, bound);
}

TEST(EveryFloat, ExpIsWithinItsBound) { expect_within<testing::Exp>(0.9); }
TEST(EveryFloat, TanhIsWithinItsBound) { expect_within<testing::Tanh>(1.6); }
TEST(EveryFloat, SigmoidIsWithinItsBound) { expect_within<testing::Sigmoid>(2.5); }
TEST(EveryFloat, LogIsWithinItsBound) { expect_within<testing::Log>(1.4); }
TEST(EveryFloat, PhiIsWithinItsBound) { expect_within<testing::NormalBelow>(6); }
TEST(EveryFloat, GeluTanhIsWithinItsBound) { expect_within<testing::GeluTanh>(3.2); }

}  // namespace
}  // namespace padless
