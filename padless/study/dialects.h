// The ways in which libraries write a mask of 0 and 1, each with the library's own constructor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "padless/batch/mask.h"

namespace padless::study {

/// How a dialect's 1 is meant.
enum class One { keeps, drops };

/// One library's way to write a mask.
struct Dialect {
  std::string name;                ///< the library's, with the argument's
  MaskArray::Element element;      ///< the type its arrays have
  std::vector<char> padding_dims;  ///< the shape in which it takes a [B, S] mask; 'B', 'S' or '1'
  /// Its constructor; [B * H, L, S] is taken in batch-major order.
  std::function<KeepMask(const MaskArray&, const AttentionSizes&)> read;
};

/// Every dialect of a 0/1 mask that batch/mask.h reads, the additive ones left out. One whose array
/// is [L, S] has no 'B' in padding_dims: 'L' stands in its place.
std::span<const Dialect> dialects();

/// What a constructor made of an array, or why it did not.
struct Reading {
  std::optional<KeepMask> mask;
  std::string refusal;  ///< the message; empty where there is a mask
};

/// Gives an array of 0 and 1 of the dialect's type and this shape to its constructor.
Reading read_as(const Dialect& dialect, std::span<const std::uint8_t> cells,
                std::vector<std::size_t> shape, const AttentionSizes& sizes);

/// Found by reading one array, not by knowing: cells [rows, keys] of both 0 and 1.
One meaning_of_one(const Dialect& dialect, std::span<const std::uint8_t> cells, std::size_t rows,
                   std::size_t keys);

}  // namespace padless::study
