// What a handful of seeds says: means with intervals.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace padless::study {

/// Mean of a sample and the interval that holds the true mean in 95 of 100 such samples, if the
/// values are normally distributed (Student's t, count - 1 degrees of freedom).
struct Estimate {
  std::size_t count = 0;
  double mean = 0;
  /// From `mean - half` to `mean + half`; none for fewer than two values.
  std::optional<double> half = std::nullopt;

  /// Whether `value` is outside the interval; false where there is none.
  bool excludes(double value) const {
    return half && (value < mean - *half || value > mean + *half);
  }
};

/// Throws ValueError for no values.
Estimate estimate(std::span<const double> values);
/// Of the differences a[i] - b[i]. Throws ShapeError unless both are of one size.
Estimate paired_difference(std::span<const double> a, std::span<const double> b);

/// P(T <= t) of Student's distribution. Source: Abramowitz and Stegun, "Handbook of mathematical
/// functions", 26.7.3 and 26.7.4. Throws ValueError for no degrees of freedom.
double student_cdf(double t, std::size_t degrees);
/// The t whose student_cdf is `share`, which is in (0, 1).
double student_quantile(double share, std::size_t degrees);

/// The value below which `share` of the values are, between neighbours by their distance.
/// Throws ValueError for no values or a share outside [0, 1].
double quantile(std::span<const double> values, double share);

}  // namespace padless::study
