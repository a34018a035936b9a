// The elementary functions of reference/math.h and activation.h against the truth: libm in double.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <vector>

#include "padless/core/coefficients.h"
#include "padless/core/isa.h"
#include "padless/kernels/elementary.h"

namespace padless::testing {

/// The elementary functions of an instruction set that this CPU supports; scalar is the reference.
kernels::Elementary elementary(Isa isa);

/// The largest error of some floats, in units of the last place of a float beside the truth.
struct WorstUlp {
  double ulp = 0;
  float at = 0;

  void add(const WorstUlp& other) {
    if (other.ulp > ulp) *this = other;
  }
};

/// How far `found` is from `truth`. Infinity and NaN must be met exactly: else infinity.
/// A truth smaller than `smallest` counts in units of a float beside that.
inline double ulps_off(float found, double truth, double smallest = 0) {
  if (!std::isfinite(truth) || !std::isfinite(found)) {
    const bool same = std::isnan(truth) ? std::isnan(found) : double{found} == truth;
    return same ? 0 : std::numeric_limits<double>::infinity();
  }
  const auto exponent =
      static_cast<std::int64_t>(
          std::bit_cast<std::uint64_t>(std::fmax(std::fabs(truth), smallest)) >> 52 & 0x7ff) -
      1023;
  const std::int64_t place = std::max<std::int64_t>(exponent, -126) - 23;
  const auto per_ulp = std::bit_cast<double>(static_cast<std::uint64_t>(1023 - place) << 52);
  return std::fabs(found - truth) * per_ulp;
}

/// How far a function's form in float is from its truth at x.
template <class Function>
double error_of(const Function& function, float found, float x) {
  double smallest = 0;
  if constexpr (requires { Function::kSmallest; }) smallest = Function::kSmallest;
  return ulps_off(found, function.truth(x), smallest);
}

// Near 0 a few terms of the series are as exact as libm and spare the call.
inline constexpr double kNearZero = 0x1p-12;

// kRises: whether the function never falls from one float to the next above it.

/// exp: exactly 0 and infinity outside the range that coefficients.h states.
struct Exp {
  static constexpr const char* kName = "exp";
  static constexpr bool kRises = true;
  static constexpr auto kKernel = &kernels::Elementary::exp;
  double truth(float x) const {
    const double wide = x;
    if (std::fabs(wide) < kNearZero) return 1 + wide * (1 + wide * (0.5 + wide / 6));
    if (x < coefficients::kExpLowest) return 0;
    if (x > coefficients::kExpHighest) return std::numeric_limits<double>::infinity();
    return std::exp(wide);
  }
};

struct Tanh {
  static constexpr const char* kName = "tanh";
  static constexpr bool kRises = true;
  static constexpr auto kKernel = &kernels::Elementary::tanh;
  double truth(float x) const {
    const double wide = x;
    const double size = std::fabs(wide);
    if (size < kNearZero) return wide - wide * wide * wide * (1.0 / 3 - wide * wide * 2 / 15);
    if (size > 20) return std::copysign(1, wide);  // e^-40 is beyond a double's last place
    return std::tanh(wide);
  }
};

/// Sigmoid: exactly 0 where exp(-x) is infinity.
struct Sigmoid {
  static constexpr const char* kName = "sigmoid";
  static constexpr bool kRises = true;
  static constexpr auto kKernel = &kernels::Elementary::sigmoid;
  double truth(float x) const {
    const double wide = x;
    if (std::fabs(wide) < kNearZero) return 0.5 + wide * (0.25 - wide * wide / 48);
    if (x < -coefficients::kExpHighest) return 0;
    if (x > 50) return 1;
    return 1 / (1 + std::exp(-wide));
  }
};

/// Phi: exactly 0 and 1 in the tails that coefficients.h states.
struct NormalBelow {
  static constexpr const char* kName = "Phi";
  static constexpr bool kRises = true;
  static constexpr auto kKernel = &kernels::Elementary::normal_below;
  double truth(float x) const {
    const double wide = x;
    if (std::fabs(x) > coefficients::kNormalFar) return x > 0 ? 1 : 0;
    if (std::fabs(wide) < kNearZero) {
      return 0.5 + coefficients::kDensityAtZero * wide * (1 - wide * wide / 6);
    }
    return std::erfc(-wide * (std::numbers::sqrt2 / 2)) / 2;
  }
};

/// NaN at minus infinity. Small results are judged by their absolute error: the exponent's rounding
/// takes the far tail's last digits.
struct GeluTanh {
  static constexpr double kSmallest = 0.125;
  static constexpr const char* kName = "gelu_tanh";
  static constexpr bool kRises = false;
  static constexpr auto kKernel = &kernels::Elementary::gelu_tanh;
  double truth(float x) const {
    const double wide = x;
    // Below -10.06 the exponential of the float form is infinite; from 10 on it adds nothing.
    if (wide < kLowest) return wide * 0;
    if (wide > 10) return wide;
    const double cube = coefficients::kGeluTanhCubic * wide * wide * wide;
    return wide / (1 + std::exp(-(coefficients::kGeluTanhLinear * wide + cube)));
  }
  static constexpr double kLowest = -10.06;
};

class Log {
 public:
  static constexpr const char* kName = "log";
  static constexpr bool kRises = true;
  static constexpr auto kKernel = &kernels::Elementary::log;

  Log() : mantissas_(std::size_t{1} << 23) {
    for (std::size_t m = 0; m < mantissas_.size(); ++m) {
      mantissas_[m] = std::log(1 + static_cast<double>(m) * 0x1p-23);
    }
  }
  double truth(float x) const {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    const int octave = static_cast<int>(bits >> 23) - 127;
    // Where the two parts do not cancel, a table of the octave's logarithms spares the call.
    const bool apart = octave > -127 && octave < 128 && octave != -1 && octave != 0;
    if (!apart) return std::log(double{x});
    return octave * std::numbers::ln2 + mantissas_[bits & 0x7fffff];
  }

 private:
  std::vector<double> mantissas_;
};

}  // namespace padless::testing
