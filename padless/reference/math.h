// The arithmetic of the reference: one fixed order and one rounding per operation in float.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "padless/core/coefficients.h"

namespace padless::reference {

/// A float whose functions are libm's, whose sums are plain chains and whose products are rounded:
/// what ordinary loops give. The yardstick for the accuracy of the float reference.
struct Plain {
  float value = 0;

  Plain() = default;
  template <class Number>
  Plain(Number number) : value(static_cast<float>(number)) {}
  explicit operator double() const { return static_cast<double>(value); }

  friend Plain operator+(Plain a, Plain b) { return a.value + b.value; }
  friend Plain operator-(Plain a, Plain b) { return a.value - b.value; }
  friend Plain operator*(Plain a, Plain b) { return a.value * b.value; }
  friend Plain operator/(Plain a, Plain b) { return a.value / b.value; }
  friend Plain operator-(Plain a) { return -a.value; }
  friend Plain& operator+=(Plain& a, Plain b) { return a = a + b; }
  friend Plain& operator*=(Plain& a, Plain b) { return a = a * b; }
  friend bool operator<(Plain a, Plain b) { return a.value < b.value; }
  friend bool operator>(Plain a, Plain b) { return a.value > b.value; }
  friend bool operator==(Plain a, Plain b) { return a.value == b.value; }
};

namespace math {

inline float fma(float a, float b, float c) { return std::fma(a, b, c); }
inline double fma(double a, double b, double c) { return std::fma(a, b, c); }
inline Plain fma(Plain a, Plain b, Plain c) { return a * b + c; }

/// In this operand order everywhere: std::max differs on -0 and NaN.
template <class Real>
Real max(Real a, Real b) {
  return a > b ? a : b;
}

template <class Real>
constexpr Real infinity() {
  return Real(std::numeric_limits<float>::infinity());
}

inline double exp(double x) { return std::exp(x); }
inline Plain exp(Plain x) { return std::exp(x.value); }
/// Within 1 ulp; exactly 0 below kExpLowest.
inline float exp(float x) {
  namespace c = coefficients;
  const bool finite = x >= c::kExpLowest && x <= c::kExpHighest;
  const float safe = finite ? x : 0.0f;
  const float n = (safe * c::kLog2E + c::kRound) - c::kRound;
  const float r = fma(n, -c::kLn2Low, fma(n, -c::kLn2High, safe));
  float p = c::kExp[6];
  for (int k = 5; k >= 0; --k) p = fma(p, r, c::kExp[k]);
  const auto power = static_cast<std::uint32_t>(static_cast<std::int32_t>(n)) << 23;
  const float y = std::bit_cast<float>(std::bit_cast<std::uint32_t>(p) + power);
  if (finite) return y;
  if (x > c::kExpHighest) return c::kInfinity;
  return x < c::kExpLowest ? 0.0f : x;  // what is left is NaN
}

inline double tanh(double x) { return std::tanh(x); }
inline Plain tanh(Plain x) { return std::tanh(x.value); }
inline float tanh(float x) {
  namespace c = coefficients;
  const float magnitude = std::fabs(x);
  const float e = exp(-2 * magnitude);
  const float large = std::copysign((1 - e) / (1 + e), x);
  const float s = x * x;
  float p = c::kTanh[5];
  for (int k = 4; k >= 0; --k) p = fma(p, s, c::kTanh[k]);
  const float small = fma(x * s, p, x);
  return magnitude < c::kTanhSmall ? small : large;
}

template <class Real>
Real sigmoid(Real x) {
  return Real(1) / (Real(1) + exp(-x));
}

inline double log(double x) { return std::log(x); }
inline Plain log(Plain x) { return std::log(x.value); }
inline float log(float x) {
  namespace c = coefficients;
  if (!(x > 0)) return x == 0 ? -c::kInfinity : std::numeric_limits<float>::quiet_NaN();
  if (x == c::kInfinity) return x;
  const bool subnormal = x < std::numeric_limits<float>::min();
  const float scaled = subnormal ? x * 0x1p+23f : x;
  // Bits above those of sqrt(1/2): whole octaves, and the place within one.
  const auto base = std::bit_cast<std::uint32_t>(c::kSqrtHalf);
  const auto bits = static_cast<std::int32_t>(std::bit_cast<std::uint32_t>(scaled) - base);
  const auto e = static_cast<float>((bits >> 23) - (subnormal ? 23 : 0));
  const float f = std::bit_cast<float>((static_cast<std::uint32_t>(bits) & 0x7fffffu) + base) - 1;
  float p = c::kLog[8];
  for (int k = 7; k >= 0; --k) p = fma(p, f, c::kLog[k]);
  const float square = f * f;
  const float rest = fma(-0.5f, square, fma(e, c::kLn2Low, f * square * p));
  return fma(e, c::kLn2High, f + rest);
}

inline double erfc(double x) { return std::erfc(x); }
inline Plain erfc(Plain x) { return std::erfc(x.value); }

inline float sqrt(float x) { return std::sqrt(x); }
inline double sqrt(double x) { return std::sqrt(x); }
inline Plain sqrt(Plain x) { return std::sqrt(x.value); }

/// The normal distribution at x: below = Phi(x), how much of it lies below, and its density.
template <class Real>
struct Normal {
  Real below, density;

  explicit Normal(Real x)
      : below(erfc(-x * Real(0.70710678118654752440)) / Real(2)),
        density(exp(-x * x / Real(2)) * Real(coefficients::kDensityAtZero)) {}
};
/// Both exactly 0 in the far tails, never subnormal.
template <>
struct Normal<float> {
  float below, density;

  explicit Normal(float x) {
    namespace c = coefficients;
    const float magnitude = std::fabs(x);
    const bool far = magnitude > c::kNormalFar;
    const float safe = far ? 0.0f : magnitude;
    // exp(-x^2 / 2), with what the rounding of x^2 has lost.
    const float square = safe * safe;
    const float lost = fma(safe, safe, -square);
    const float near_bell = exp(-0.5f * square);
    const float bell = fma(near_bell, -0.5f * lost, near_bell);
    const float d = 1 / (safe + c::kNormalCentre);
    const float t = (safe - c::kNormalCentre) * d;
    float p = c::kNormal[9];
    for (int k = 8; k >= 0; --k) p = fma(p, t, c::kNormal[k]);
    const float beyond = far ? 0.0f : bell * (p * d);
    below = x < 0 ? beyond : 1 - beyond;
    density = far ? 0.0f : bell * static_cast<float>(c::kDensityAtZero);
  }
};

/// A sum in the order *lanes16*: element i goes to lane i mod 16, each lane a chain from +0; then
/// lanes 8 apart are added, then 4, 2 and 1. A lane that no element reaches adds nothing to it.
template <class Real>
class Lanes16 {
 public:
  void add(std::size_t i, Real value) { lanes_[i % 16] = lanes_[i % 16] + value; }
  /// Adds a * b with one rounding.
  void add_product(std::size_t i, Real a, Real b) { lanes_[i % 16] = fma(a, b, lanes_[i % 16]); }

  Real total() const {
    Real lanes[16];
    for (std::size_t l = 0; l < 16; ++l) lanes[l] = lanes_[l];
    for (std::size_t half = 8; half > 0; half /= 2) {
      for (std::size_t l = 0; l < half; ++l) lanes[l] = lanes[l] + lanes[l + half];
    }
    return lanes[0];
  }

 private:
  Real lanes_[16] = {};
};

template <>
class Lanes16<Plain> {
 public:
  void add(std::size_t, Plain value) { sum_ += value; }
  void add_product(std::size_t, Plain a, Plain b) { sum_ = fma(a, b, sum_); }
  Plain total() const { return sum_; }

 private:
  Plain sum_;
};

}  // namespace math
}  // namespace padless::reference
