// Numbers of fewer bits, emulated exactly: whatever the machine has, every operation is rounded
// to the nearest number of the format, ties to the even one.
#pragma once

#include <cmath>

namespace padless::study {

/// A binary floating-point format: its significand has `digits` bits, the hidden one included, and
/// its normal numbers' exponents reach from `lowest` to `highest`. Subnormals and infinities belong
/// to it.
struct NumberFormat {
  int digits = 0;
  int lowest = 0, highest = 0;
};
inline constexpr NumberFormat kFloat16 = {11, -14, 15};
inline constexpr NumberFormat kBfloat16 = {8, -126, 127};
inline constexpr NumberFormat kFloat32 = {24, -126, 127};

/// The format's number nearest to `value`; beyond its range an infinity.
double round_to(const NumberFormat& format, double value);

/// A number of the format. An operation is done in double and rounded: with at least 2 * digits + 2
/// bits in between, that is the same as rounding once. Source: Figueroa, "When is double rounding
/// innocuous?" (ACM SIGNUM Newsletter 30, 1995).
template <NumberFormat format>
class Rounded {
 public:
  static_assert(2 * format.digits + 2 <= 53);

  Rounded() = default;
  template <class Number>
  explicit Rounded(Number number) : value_(round_to(format, static_cast<double>(number))) {}
  explicit operator double() const { return value_; }

  friend Rounded operator+(Rounded a, Rounded b) { return Rounded(a.value_ + b.value_); }
  friend Rounded operator-(Rounded a, Rounded b) { return Rounded(a.value_ - b.value_); }
  friend Rounded operator*(Rounded a, Rounded b) { return Rounded(a.value_ * b.value_); }
  friend Rounded operator/(Rounded a, Rounded b) { return Rounded(a.value_ / b.value_); }
  friend bool operator>(Rounded a, Rounded b) { return a.value_ > b.value_; }
  friend Rounded exp(Rounded x) { return Rounded(std::exp(x.value_)); }

 private:
  double value_ = 0;
};

}  // namespace padless::study
