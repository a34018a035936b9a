#include "padless/batch/shards.h"

#include <bit>

#include "padless/core/error.h"

namespace padless {

bool Shards::is_count(std::size_t count) { return std::has_single_bit(count) && count <= kMost; }

Shards Shards::of_items(const Segments& items, std::size_t count) {
  require_value(is_count(count), "Shards: the number of shards is ", count,
                ", expected a power of two, at most ", kMost);
  const std::size_t rows = items.total();
  Shards shards;
  shards.bounds_.assign(1, 0);
  std::size_t item = 0;
  for (std::size_t s = 1; s < count; ++s) {
    // floor(s * T / S) without overflow: T = q * S + r.
    const std::size_t first = s * (rows / count) + s * (rows % count) / count;
    while (item < items.count() && items[item].begin < first) ++item;
    shards.bounds_.push_back(item);
  }
  shards.bounds_.push_back(items.count());
  return shards;
}

Shards Shards::inner(const Segments& level) const {
  require_shape(level.count() == rows(), "Shards: the inner level has ", level.count(),
                " sequences, expected ", rows(), " (the rows of this level)");
  Shards shards;
  shards.bounds_.clear();
  for (const std::size_t bound : bounds_) shards.bounds_.push_back(level.offsets()[bound]);
  return shards;
}

}  // namespace padless
