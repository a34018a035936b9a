// Where the rows of a batch stand in their sequences, checked against what a table holds.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "padless/batch/segments.h"
#include "padless/core/error.h"

namespace padless {

/// The position of sequence b's first row.
inline std::size_t first_position(std::span<const std::size_t> first, std::size_t b) {
  return first.empty() ? 0 : first[b];
}

/// Throws unless `first` is empty or has a position for each sequence, and every row's position is
/// below `positions`.
inline void require_positions(std::string_view op, const Segments& segs,
                              std::span<const std::size_t> first, std::size_t positions) {
  require_shape(first.empty() || first.size() == segs.count(), op, ": first has ", first.size(),
                " elements, expected ", segs.count(), ", or none");
  for (std::size_t b = 0; b < segs.count(); ++b) {
    if (segs.length(b) == 0) continue;
    const std::size_t begin = first_position(first, b);
    require_value(begin < positions && segs.length(b) <= positions - begin, op, ": sequence ", b,
                  " has ", segs.length(b), " rows from position ", begin,
                  " on, expected them in [0, ", positions,
                  ") (what the table holds); cut it, or make a longer table");
  }
}

}  // namespace padless
