#pragma once

#include <cstddef>
#include <cstdint>

namespace padless {

/// A loss before it is divided: sums, counts and weights of micro-batches add up to those of the
/// whole, so any split gives the same mean, sum / weight. A count of 0 is an answer, with a sum and
/// a weight of 0.
struct LossSum {
  double sum = 0;
  std::size_t count = 0;
  double weight = 0;  ///< of the rows together: their count, where all weigh the same

  /// Of rows that weigh 1 each.
  static LossSum of_equals(double sum, std::size_t count) {
    return {sum, count, static_cast<double>(count)};
  }
};

/// The label of a row that has no part in a loss.
inline constexpr std::int32_t kIgnored = -100;

}  // namespace padless
