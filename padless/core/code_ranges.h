#pragma once

#include <algorithm>
#include <iterator>
#include <span>

namespace padless {

/// Code points from `first` to `last`, both included.
struct CodeRange {
  char32_t first, last;
};

/// Whether one of the ranges, which ascend and do not overlap, has the code point.
inline bool contains(std::span<const CodeRange> ranges, char32_t code) {
  const auto after = std::ranges::upper_bound(ranges, code, {}, &CodeRange::first);
  return after != ranges.begin() && code <= std::prev(after)->last;
}

}  // namespace padless
