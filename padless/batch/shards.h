#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "padless/batch/segments.h"
#include "padless/core/export.h"

namespace padless {

/// Where a step's rows are cut for sums over rows: S runs of whole top-level items, S a power of
/// two. A parameter's gradient is, per element, a chain over the rows of each shard; the shards
/// are added in the binary tree ((0+1)+(2+3))+..., where a shard without rows is absent.
class PADLESS_API Shards {
 public:
  /// S at most.
  static constexpr std::size_t kMost = std::size_t{1} << 16;
  /// Whether `count` can be S: a power of two, kMost at most.
  static bool is_count(std::size_t count);

  /// One shard of `rows` rows.
  explicit Shards(std::size_t rows = 0) : bounds_{0, rows} {}

  /// Cuts top-level items (documents, say), each a run of rows at the innermost level: shard s
  /// begins at the first item whose first row is >= floor(s * T / S). The result counts items;
  /// inner() carries it down to the rows. Throws ValueError unless is_count(count).
  static Shards of_items(const Segments& items, std::size_t count);

  /// The same cut one level further in: `level` gives each of this level's rows its run of rows.
  /// Throws ShapeError unless level.count() is rows().
  Shards inner(const Segments& level) const;

  /// S.
  std::size_t count() const { return bounds_.size() - 1; }
  /// The number of rows that are cut.
  std::size_t rows() const { return bounds_.back(); }
  Segments::Rows operator[](std::size_t s) const { return {bounds_[s], bounds_[s + 1]}; }
  /// S + 1 row numbers, from 0 to rows().
  std::span<const std::size_t> bounds() const { return bounds_; }

 private:
  std::vector<std::size_t> bounds_;
};

}  // namespace padless
