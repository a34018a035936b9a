#include "padless/study/rounded.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "padless/core/rng.h"

namespace padless::study {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Rounded, OfFloat32IsWhatTheMachineRounds) {
  Rng rng(7);
  for (int i = 0; i < 20000; ++i) {
    // Any sign, significand and exponent: from below float's smallest number to beyond its largest.
    const double size = std::ldexp(1 + rng.uniform(), static_cast<int>(rng.below(290)) - 155);
    const double value = rng.below(2) == 0 ? size : -size;
    EXPECT_EQ(std::bit_cast<std::uint64_t>(round_to(kFloat32, value)),
              std::bit_cast<std::uint64_t>(static_cast<double>(static_cast<float>(value))))
        << value;
  }
}

TEST(Rounded, OperationsOfFloat32AreTheMachines) {
  using Emulated = Rounded<kFloat32>;
  Rng rng(8);
  for (int i = 0; i < 20000; ++i) {
    const auto draw = [&rng] {
      return static_cast<float>(std::ldexp(rng.normal(), static_cast<int>(rng.below(60)) - 30));
    };
    const float a = draw(), b = draw();
    const Emulated x(a), y(b);
    EXPECT_EQ(static_cast<double>(x + y), static_cast<double>(a + b));
    EXPECT_EQ(static_cast<double>(x - y), static_cast<double>(a - b));
    EXPECT_EQ(static_cast<double>(x * y), static_cast<double>(a * b));
    EXPECT_EQ(static_cast<double>(x / y), static_cast<double>(a / b));
  }
}

TEST(Rounded, TiesGoToTheEvenNeighbour) {
  EXPECT_EQ(round_to(kFloat16, 2049), 2048);  // between 2048 and 2050
  EXPECT_EQ(round_to(kFloat16, 2051), 2052);  // between 2050 and 2052
  EXPECT_EQ(round_to(kFloat16, 2049.001), 2050);
  EXPECT_EQ(round_to(kFloat16, -2049), -2048);
  EXPECT_EQ(round_to(kBfloat16, 257), 256);
  EXPECT_EQ(round_to(kBfloat16, 259), 260);
}

TEST(Rounded, KnowsTheEndsOfItsRange) {
  EXPECT_EQ(round_to(kFloat16, 65504), 65504);  // the largest
  EXPECT_EQ(round_to(kFloat16, 65519.999), 65504);
  EXPECT_EQ(round_to(kFloat16, 65520), kInfinity);  // the tie goes to the even 65536, which is none
  EXPECT_EQ(round_to(kFloat16, -1e9), -kInfinity);
  EXPECT_EQ(round_to(kFloat16, 0x1p-24), 0x1p-24);  // the smallest
  EXPECT_EQ(round_to(kFloat16, 0x1p-25), 0);        // a tie, to the even 0
  EXPECT_EQ(round_to(kFloat16, 0x1.8p-25), 0x1p-24);
  EXPECT_TRUE(std::signbit(round_to(kFloat16, -0x1p-26)));
  EXPECT_EQ(round_to(kFloat16, kInfinity), kInfinity);
  EXPECT_TRUE(std::isnan(round_to(kFloat16, std::nan(""))));
  EXPECT_EQ(round_to(kBfloat16, -1e9), -238 * 0x1p+22);
}

}  // namespace
}  // namespace padless::study
