#include "padless/viz/number.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

namespace padless::viz {
namespace {

// Room for the 309 digits of the largest double, a point and the decimals.
using Buffer = std::array<char, 352>;

std::string print(double value, std::chars_format format, int decimals) {
  Buffer buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format,
                                 std::clamp(decimals, 0, 17));
  return {buffer.data(), end.ptr};
}

std::string without_trailing_zeros(std::string digits) {
  if (digits.find('.') == std::string::npos) return digits;
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.back() == '.') digits.pop_back();
  return digits;
}

}  // namespace

std::string fixed(double value, int decimals) {
  if (!std::isfinite(value)) return "n/a";
  std::string digits = print(value, std::chars_format::fixed, decimals);
  const bool minus_zero =
      digits.front() == '-' && digits.find_first_of("123456789") == std::string::npos;
  if (minus_zero) digits.erase(0, 1);
  return digits;
}

std::string trimmed(double value, int most_decimals) {
  return without_trailing_zeros(fixed(value, most_decimals));
}

std::string scientific(double value, int decimals) {
  if (!std::isfinite(value)) return "n/a";
  if (value == 0) return "0";
  const std::string digits = print(value, std::chars_format::scientific, decimals);
  const std::size_t e = digits.find('e');
  std::string_view exponent = std::string_view(digits).substr(e + 1);
  const bool negative = exponent.front() == '-';
  exponent.remove_prefix(std::min(exponent.find_first_not_of("+-0"), exponent.size() - 1));
  return without_trailing_zeros(digits.substr(0, e)) + (negative ? "e-" : "e") +
         std::string(exponent);
}

}  // namespace padless::viz
