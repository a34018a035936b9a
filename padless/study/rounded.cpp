#include "padless/study/rounded.h"

#include <algorithm>
#include <limits>

namespace padless::study {

double round_to(const NumberFormat& format, double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  // Numbers of the value's size are the multiples of 2^last. Scaling by a power of two is exact.
  const int last = std::max(std::ilogb(value), format.lowest) - (format.digits - 1);
  const double scaled = std::ldexp(std::fabs(value), -last);
  double whole = std::floor(scaled);
  const double rest = scaled - whole;
  const bool odd = std::fmod(whole, 2) != 0;
  if (rest > 0.5 || (rest == 0.5 && odd)) ++whole;
  const double rounded = std::ldexp(whole, last);
  const bool beyond = rounded >= std::ldexp(1.0, format.highest + 1);
  return std::copysign(beyond ? std::numeric_limits<double>::infinity() : rounded, value);
}

}  // namespace padless::study
