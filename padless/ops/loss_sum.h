#pragma once

#include <cstddef>
#include <cstdint>

namespace padless {

/// A loss before it is divided: sums and counts of micro-batches add up to those of the whole, so
/// any split gives the same mean. A count of 0 is an answer, with a sum of 0.
struct LossSum {
  double sum = 0;
  std::size_t count = 0;
};

/// The label of a row that has no part in a loss.
inline constexpr std::int32_t kIgnored = -100;

}  // namespace padless
