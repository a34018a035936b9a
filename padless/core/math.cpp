#include "padless/core/math.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

namespace padless::math {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// pi/2 in three parts: the first two have 33 bits, so their multiples by small integers are exact.
constexpr double kHalfPi1 = 0x1.921fb544p+0;
constexpr double kHalfPi2 = 0x1.0b4611a6p-34;
constexpr double kHalfPi3 = 0x1.3198a2e037073p-69;

// ln 2 in two parts; the first has 33 bits, so its multiples by an exponent are exact.
constexpr double kLn2High = 0x1.62e42fefp-1;
constexpr double kLn2Low = 0x1.473de6af278edp-34;

// Taylor's series of sin x / x and cos x, in x * x; |x| <= pi/4 leaves less than 2^-56.
double sin_series(double x) {
  const double s = x * x;
  double sum = 0;
  for (int k = 17; k >= 3; k -= 2) sum = (1 - sum) * (s / (k * (k - 1)));
  return x - x * sum;
}

double cos_series(double x) {
  const double s = x * x;
  double sum = 0;
  for (int k = 18; k >= 2; k -= 2) sum = (1 - sum) * (s / (k * (k - 1)));
  return 1 - sum;
}

// sin(x + quarter_turns * pi/2).
double sin_shifted(double x, std::int64_t quarter_turns) {
  const double turns = std::nearbyint(x * (2 / std::numbers::pi));
  const double rest = ((x - turns * kHalfPi1) - turns * kHalfPi2) - turns * kHalfPi3;
  switch ((static_cast<std::int64_t>(turns) + quarter_turns) & 3) {
    case 0:
      return sin_series(rest);
    case 1:
      return cos_series(rest);
    case 2:
      return -sin_series(rest);
    default:
      return -cos_series(rest);
  }
}

}  // namespace

double log(double x) {
  if (!(x > 0)) return x == 0 ? -kInfinity : std::numeric_limits<double>::quiet_NaN();
  if (x == kInfinity) return x;
  int exponent = 0;
  double m = std::frexp(x, &exponent);  // exact: [0.5, 1)
  if (m < std::numbers::sqrt2 / 2) {
    m *= 2;
    --exponent;
  }
  // log m = 2 atanh(r), r = (m - 1) / (m + 1), |r| < 0.172.
  const double f = m - 1;
  const double r = f / (2 + f);
  const double s = r * r;
  double sum = 0;
  for (int k = 21; k >= 3; k -= 2) sum = (sum + 1.0 / k) * s;
  // log m = f - r * (f - 2 * sum): f is exact, the rest is small.
  const double tail = r * (f - 2 * sum);
  return exponent * kLn2High + (f - (tail - exponent * kLn2Low));
}

double exp(double x) {
  if (!(x > -746)) return x == x ? 0 : x;
  if (x > 710) return kInfinity;
  const double n = std::nearbyint(x * std::numbers::log2e);
  const double r = (x - n * kLn2High) - n * kLn2Low;
  double sum = 1;
  for (int k = 14; k >= 1; --k) sum = 1 + sum * (r / k);
  return std::ldexp(sum, static_cast<int>(n));
}

double pow(double base, double exponent) { return exp(exponent * log(base)); }

double cos(double x) { return sin_shifted(x, 1); }

double sin(double x) { return sin_shifted(x, 0); }

}  // namespace padless::math
