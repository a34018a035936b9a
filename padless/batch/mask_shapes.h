// Which of an array's dimensions are batch, heads, queries and keys. Private to the room.
#pragma once

#include <array>
#include <cstddef>

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
