// Cells of batch x heads x queries x keys, where what is the same for all is held once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "padless/core/error.h"
#include "padless/core/matrix.h"

namespace padless {

/// The sizes of one attention over a padded batch.
struct AttentionSizes {
  std::size_t batch = 0;
  std::size_t heads = 1;
  std::size_t queries = 1;  ///< L, padded
  std::size_t keys = 0;     ///< S, padded

  friend bool operator==(const AttentionSizes&, const AttentionSizes&) = default;
};

/// How a library stacks B sequences of H heads in one dimension of B * H.
enum class HeadOrder {
  batch_major,  ///< entry b * H + h: PyTorch's
  head_major,   ///< entry h * B + b: what tiling a [B, L, S] mask H times gives
};

/// The sizes of arrays [leading..., L, S]: of two or more leading dimensions the last is the heads,
/// the product of those before it the batch; one alone is the batch. Throws
/// std::bad_array_new_length where the batch is beyond what an address reaches.
inline AttentionSizes leading_sizes(std::span<const std::size_t> leading, std::size_t queries,
                                    std::size_t keys) {
  AttentionSizes sizes{.batch = 1, .heads = 1, .queries = queries, .keys = keys};
  if (leading.size() > 1) {
    sizes.heads = leading.back();
    leading = leading.first(leading.size() - 1);
  }
  for (const std::size_t dim : leading) sizes.batch = checked_product(sizes.batch, dim);
  return sizes;
}

/// Cells [B, H or 1, L or 1, S]: one head (one query) stands for all heads (all queries), and
/// `one_for_all` sequences share the cells of one.
template <class T>
class AttentionArray {
 public:
  AttentionArray() = default;
  /// Throws ValueError when the number of cells is beyond the range of std::ptrdiff_t.
  AttentionArray(const AttentionSizes& sizes, bool one_for_all, T value)
      : sizes_(sizes), stored_(one_for_all ? std::min<std::size_t>(sizes.batch, 1) : sizes.batch) {
    std::size_t count = stored_;
    for (const std::size_t size : {sizes.heads, sizes.queries, sizes.keys}) {
      require_value(size == 0 || count <= kMost / sizeof(T) / size, "attention mask: [",
                    sizes.batch, ", ", sizes.heads, ", ", sizes.queries, ", ", sizes.keys,
                    "] is more than memory can hold");
      count *= size;
    }
    cells_.assign(count, value);
  }

  const AttentionSizes& sizes() const { return sizes_; }
  bool one_for_all() const { return stored_ < sizes_.batch; }

  /// The keys of one query.
  std::span<const T> row(std::size_t b, std::size_t h, std::size_t q) const {
    return std::span(cells_).subspan(at(b, h, q), sizes_.keys);
  }
  std::span<T> row(std::size_t b, std::size_t h, std::size_t q) {
    return std::span(cells_).subspan(at(b, h, q), sizes_.keys);
  }

  /// Calls visit(b, h, q) for every row that is held.
  template <class Visit>
  void for_each_row(Visit&& visit) const {
    for (std::size_t b = 0; b < stored_; ++b) {
      for (std::size_t h = 0; h < sizes_.heads; ++h) {
        for (std::size_t q = 0; q < sizes_.queries; ++q) visit(b, h, q);
      }
    }
  }

  /// The same sizes and the same cells, however they are held.
  friend bool operator==(const AttentionArray& a, const AttentionArray& b) {
    if (a.sizes_ != b.sizes_) return false;
    const AttentionArray& more = a.stored_ > b.stored_ ? a : b;
    bool same = true;
    more.for_each_row([&](std::size_t i, std::size_t h, std::size_t q) {
      same = same && std::ranges::equal(a.row(i, h, q), b.row(i, h, q));
    });
    return same;
  }

 private:
  static constexpr std::size_t kMost = std::numeric_limits<std::ptrdiff_t>::max();

  std::size_t at(std::size_t b, std::size_t h, std::size_t q) const {
    const std::size_t sequence = stored_ == 1 ? 0 : b;
    const std::size_t head = sizes_.heads == 1 ? 0 : h;
    const std::size_t query = sizes_.queries == 1 ? 0 : q;
    return ((sequence * sizes_.heads + head) * sizes_.queries + query) * sizes_.keys;
  }

  AttentionSizes sizes_;
  std::size_t stored_ = 0;
  std::vector<T> cells_;
};

}  // namespace padless
