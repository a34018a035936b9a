#include "padless/batch/segments.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "padless/core/error.h"

namespace padless {

template <class Integer>
Segments Segments::checked_lengths(std::span<const Integer> lengths) {
  constexpr std::size_t kMost = std::numeric_limits<std::ptrdiff_t>::max();
  Segments segs;
  segs.offsets_.reserve(lengths.size() + 1);
  for (std::size_t b = 0; b < lengths.size(); ++b) {
    const std::size_t before = segs.offsets_.back();
    require_value(std::cmp_greater_equal(lengths[b], 0), "Segments: length ", b, " is ", lengths[b],
                  ", expected 0 or more");
    require_value(std::cmp_less_equal(lengths[b], kMost - before),
                  "Segments: the sum of the first ", b + 1, " lengths is beyond ", kMost);
    segs.offsets_.push_back(before + static_cast<std::size_t>(lengths[b]));
  }
  return segs;
}

template <class Integer>
Segments Segments::checked_offsets(std::span<const Integer> offsets, std::size_t total) {
  Segments segs;
  if (offsets.empty()) {
    require_value(total == 0, "Segments: no offsets for ", total,
                  " rows, expected one offset more than there are sequences");
    return segs;
  }
  require_value(offsets[0] == 0, "Segments: offset 0 is ", offsets[0], ", expected 0");
  for (std::size_t b = 1; b < offsets.size(); ++b) {
    require_value(offsets[b - 1] <= offsets[b], "Segments: offset ", b, " is ", offsets[b],
                  ", expected at least ", offsets[b - 1],
                  " (offsets never decrease; lengths go to from_lengths)");
  }
  require_value(std::cmp_equal(offsets.back(), total), "Segments: the last offset is ",
                offsets.back(), ", expected ", total, " (the number of rows)");
  segs.offsets_.assign(offsets.begin(), offsets.end());
  return segs;
}

Segments Segments::from_lengths(std::span<const std::size_t> lengths) {
  return checked_lengths(lengths);
}
Segments Segments::from_lengths(std::span<const std::int32_t> lengths) {
  return checked_lengths(lengths);
}
Segments Segments::from_lengths(std::span<const std::int64_t> lengths) {
  return checked_lengths(lengths);
}
Segments Segments::from_offsets(std::span<const std::size_t> offsets, std::size_t total) {
  return checked_offsets(offsets, total);
}
Segments Segments::from_offsets(std::span<const std::int32_t> offsets, std::size_t total) {
  return checked_offsets(offsets, total);
}
Segments Segments::from_offsets(std::span<const std::int64_t> offsets, std::size_t total) {
  return checked_offsets(offsets, total);
}

std::size_t Segments::longest() const {
  std::size_t longest = 0;
  for (std::size_t b = 0; b < count(); ++b) longest = std::max(longest, length(b));
  return longest;
}

std::size_t Segments::sequence_of(std::size_t t) const {
  // The last sequence that begins at or before t: empty ones before it begin there too.
  return static_cast<std::size_t>(std::ranges::upper_bound(offsets_, t) - offsets_.begin()) - 1;
}

}  // namespace padless
