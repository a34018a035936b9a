#include "padless/batch/attend.h"

#include "padless/core/error.h"

namespace padless {

Attend Attend::operator&(const Attend& other) const {
  if (is_full()) return other;
  if (other.is_full()) return *this;
  require_value(align_ == other.align_,
                "Attend: the two sides of & are aligned differently, expected the same Align on "
                "both (or none, for equal lengths)");
  return {std::min(left_, other.left_), std::min(right_, other.right_), align_};
}

Attend::Bounds Attend::bounds(std::size_t queries, std::size_t keys) const {
  require_shape(queries == keys || align_ || is_full(), "Attend: ", queries, " queries and ", keys,
                " keys without an alignment, expected Align::top_left (query 0 stands on key 0) or "
                "Align::bottom_right (the last query stands on the last key)");
  const auto limit = [&](std::size_t reach) {
    return static_cast<std::ptrdiff_t>(std::min(reach, queries + keys));
  };
  Bounds bounds;
  bounds.left_ = limit(left_);
  bounds.right_ = limit(right_);
  bounds.keys_ = static_cast<std::ptrdiff_t>(keys);
  if (align_ == Align::bottom_right) {
    bounds.shift_ = bounds.keys_ - static_cast<std::ptrdiff_t>(queries);
  }
  return bounds;
}

}  // namespace padless
