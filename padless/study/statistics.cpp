#include "padless/study/statistics.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "padless/core/error.h"

namespace padless::study {

Estimate estimate(std::span<const double> values) {
  require_value(!values.empty(), "estimate: there are no values");
  Estimate result{.count = values.size()};
  const auto n = static_cast<double>(values.size());
  for (const double value : values) result.mean += value / n;
  if (values.size() < 2) return result;
  double squares = 0;
  for (const double value : values) squares += (value - result.mean) * (value - result.mean);
  const double error = std::sqrt(squares / (n - 1) / n);
  result.half = student_quantile(0.975, values.size() - 1) * error;
  return result;
}

Estimate paired_difference(std::span<const double> a, std::span<const double> b) {
  require_shape(a.size() == b.size(), "paired_difference: there are ", a.size(), " and ", b.size(),
                " values, expected pairs");
  std::vector<double> differences(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) differences[i] = a[i] - b[i];
  return estimate(differences);
}

double student_cdf(double t, std::size_t degrees) {
  require_value(degrees > 0, "student_cdf: degrees of freedom are 0, expected 1 or more");
  const auto n = static_cast<double>(degrees);
  const double theta = std::atan(std::fabs(t) / std::sqrt(n));
  const double sine = std::sin(theta), cosine = std::cos(theta);
  const bool odd = degrees % 2 == 1;
  // The sum c + (2/3) c^3 + (2*4)/(3*5) c^5 + ... or 1 + (1/2) c^2 + (1*3)/(2*4) c^4 + ...
  double term = odd ? cosine : 1, sum = 0;
  for (std::size_t k = odd ? 1 : 0; k + 2 <= degrees; k += 2) {
    sum += term;
    const auto next = static_cast<double>(k);
    term *= cosine * cosine * (next + 1) / (next + 2);
  }
  const double inside = odd ? 2 / std::numbers::pi * (theta + sine * sum) : sine * sum;
  return t < 0 ? (1 - inside) / 2 : (1 + inside) / 2;
}

double student_quantile(double share, std::size_t degrees) {
  require_value(share > 0 && share < 1, "student_quantile: share is ", share,
                ", expected more than 0 and less than 1");
  if (share < 0.5) return -student_quantile(1 - share, degrees);
  double low = 0, high = 1;
  while (student_cdf(high, degrees) < share) high *= 2;
  constexpr int kBitsOfDouble = 64;
  for (int i = 0; i < kBitsOfDouble; ++i) {
    const double middle = (low + high) / 2;
    (student_cdf(middle, degrees) < share ? low : high) = middle;
  }
  return (low + high) / 2;
}

double quantile(std::span<const double> values, double share) {
  require_value(!values.empty(), "quantile: there are no values");
  require_value(share >= 0 && share <= 1, "quantile: share is ", share, ", expected 0 to 1");
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  if (below + 1 == sorted.size()) return sorted[below];
  return std::lerp(sorted[below], sorted[below + 1], place - static_cast<double>(below));
}

}  // namespace padless::study
