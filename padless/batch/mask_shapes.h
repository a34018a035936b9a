// Which of an array's dimensions are batch, heads, queries and keys. Private to the room.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "padless/batch/attention_array.h"
#include "padless/batch/mask_array.h"

namespace padless {

/// An array's dimensions as [B, H, L, S]; 1 where one entry stands for all.
using PlacedDims = std::array<std::size_t, 4>;

/// What a two-dimensional array may be.
enum class RankTwo { queries_by_keys, either };

/// Reads the shape of `array` as one that spreads over `sizes`: [B or 1, H or 1, L or 1, S or 1],
/// [H, L, S], [L, S] or, with RankTwo::either, [B, S]. Throws ShapeError when it is none of them,
/// or two of them; `where` names the caller.
PlacedDims place(const char* where, const MaskArray& array, const AttentionSizes& sizes,
                 RankTwo rank_two);

/// Where the cells of an array are that spreads over [leading..., L, S] as NumPy's arrays do.
class SpreadDims {
 public:
  /// Throws ShapeError, naming `where`, when it does not.
  SpreadDims(const char* where, const MaskArray& array, std::span<const std::size_t> leading,
             std::size_t queries, std::size_t keys);

  /// leading_sizes, with 1 for heads and queries where one stands for all.
  const AttentionSizes& sizes() const { return sizes_; }
  /// The cell of the array for these places in the sizes.
  std::size_t cell(std::size_t b, std::size_t h, std::size_t q, std::size_t k) const;

 private:
  AttentionSizes sizes_;
  std::vector<std::size_t> leading_, steps_;  // steps_: from one entry of a dimension to the next
};

/// Where the cells of PyTorch's attn_mask are, [L, S] or [B * H, L, S].
class TorchDims {
 public:
  /// Throws, naming `where`: ShapeError when the array is neither, ValueError when it is the second
  /// and the order of its first dimension is not named.
  TorchDims(const char* where, const MaskArray& array, const AttentionSizes& sizes,
            std::optional<HeadOrder> order);
  /// Whether the array is one of the two.
  static bool fit(const MaskArray& array, const AttentionSizes& sizes);

  /// As of an array [1, 1, L, S] or [B, H, L, S].
  const PlacedDims& dims() const { return dims_; }
  /// The array's cell for cell i of that one.
  std::size_t cell(std::size_t i) const;

 private:
  PlacedDims dims_;
  bool head_major_ = false;
};

/// The advice of a door that takes no mask of 0 and 1, or not this one.
inline constexpr const char* kOfHint =
    " (given [B, H, L, S], or 1 in place of any of them, a mask of 0 and 1 goes to KeepMask::of, 1 "
    "= may attend, or DropMask::of, 1 = may not)";

/// The message's words for what is expected: "[2, 4, 3, 3]".
std::string text(const AttentionSizes& sizes);

/// The cells read(i) of an array with these dimensions, spread over `sizes`.
template <class T, class Read>
AttentionArray<T> spread(const PlacedDims& dims, const AttentionSizes& sizes, Read&& read) {
  AttentionArray<T> cells({sizes.batch, dims[1], dims[2], sizes.keys}, dims[0] == 1, T());
  cells.for_each_row([&](std::size_t b, std::size_t h, std::size_t q) {
    const std::size_t first = ((b * dims[1] + h) * dims[2] + q) * dims[3];
    const auto row = cells.row(b, h, q);
    for (std::size_t k = 0; k < row.size(); ++k) row[k] = read(first + (dims[3] == 1 ? 0 : k));
  });
  return cells;
}

}  // namespace padless
