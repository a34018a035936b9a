#include "padless/core/math.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace padless {
namespace {

// The distance in units of the last place of `truth`, which has more digits than a double.
double ulps(double value, long double truth) {
  const double nearest = static_cast<double>(truth);
  const double unit = std::nextafter(std::fabs(nearest), INFINITY) - std::fabs(nearest);
  return static_cast<double>(std::fabs((static_cast<long double>(value) - truth) / unit));
}

TEST(Math, LogIsWithinItsBound) {
  double worst = 0;
  for (int exponent = -1074; exponent < 1024; ++exponent) {
    const double x = std::ldexp(1.37, exponent);
    worst = std::fmax(worst, ulps(math::log(x), std::log(static_cast<long double>(x))));
  }
  for (double x = 0x1p-100; x < 0x1p100; x *= 1.0009765) {
    worst = std::fmax(worst, ulps(math::log(x), std::log(static_cast<long double>(x))));
  }
  for (double x = 0.5; x < 2; x += 0x1.01p-17) {
    worst = std::fmax(worst, ulps(math::log(x), std::log(static_cast<long double>(x))));
  }
  EXPECT_LT(worst, 1.5);
  EXPECT_EQ(math::log(1), 0);
}

TEST(Math, LogAtItsEdges) {
  EXPECT_EQ(math::log(0), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(math::log(std::numeric_limits<double>::infinity()),
            std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(math::log(-1)));
  EXPECT_TRUE(std::isnan(math::log(std::numeric_limits<double>::quiet_NaN())));
}

TEST(Math, ExpIsWithinItsBound) {
  double worst = 0;
  for (double x = -708; x <= 709; x += 0.00731) {
    worst = std::fmax(worst, ulps(math::exp(x), std::exp(static_cast<long double>(x))));
  }
  EXPECT_LT(worst, 2);
  EXPECT_EQ(math::exp(0), 1);
  EXPECT_EQ(math::exp(-746), 0);
  EXPECT_EQ(math::exp(710), std::numeric_limits<double>::infinity());
  EXPECT_EQ(math::exp(-std::numeric_limits<double>::infinity()), 0);
  EXPECT_TRUE(std::isnan(math::exp(std::numeric_limits<double>::quiet_NaN())));
}

TEST(Math, PowIsWithinItsBound) {
  for (double exponent = -1; exponent <= 1; exponent += 0.0173) {
    for (const double base : {2.0, 10000.0, 5e5}) {
      const double truth = std::pow(base, exponent);
      const double bound = 0x1p-52 * (2 + std::fabs(exponent * std::log(base)));
      EXPECT_NEAR(math::pow(base, exponent), truth, bound * truth);
    }
  }
  EXPECT_EQ(math::pow(10000, 0), 1);
}

TEST(Math, CosAndSinAreWithinTheirBounds) {
  const double of_one = std::numeric_limits<double>::epsilon();
  double worst = 0;
  for (double x = -1000; x <= 1000; x += 0.00731) {
    worst = std::fmax(worst, std::fabs(math::cos(x) - std::cos(x)));
    worst = std::fmax(worst, std::fabs(math::sin(x) - std::sin(x)));
  }
  EXPECT_LT(worst, 2 * of_one);
  EXPECT_EQ(math::cos(0), 1);
  EXPECT_EQ(math::sin(0), 0);
}

}  // namespace
}  // namespace padless
