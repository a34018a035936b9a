// What the library does with a padded row: the whole way through its public door.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "padless/core/matrix.h"
#include "padless/core/runtime.h"

namespace padless::study {

/// What a padded slot holds, NaN, infinity and the largest number by turns: a pad that gets through
/// the door changes everything behind it.
float hostile(std::size_t slot);

/// The library's attention over a padded sequence of S slots of width C.
struct ExactPooling {
  std::vector<double> weights;  ///< [S], of every slot
  std::vector<double> pooled;   ///< [C]
};

/// The rows and scores of all slots go through a mask (`keep`, 1 = real), the packing that it
/// makes, and attention pooling; the weights go back into their slots.
///
/// Shapes:
///   rows    [S, C]  read
///   scores  [S]     read
///   keep    [S]     read
///
/// Throws ShapeError when a shape differs from the above.
ExactPooling exact_pooling(Runtime& runtime, MatrixView<const float> rows,
                           std::span<const float> scores, std::span<const std::uint8_t> keep);

/// The weights of one row of logits, [S], of which `keep` says which are real.
std::vector<double> exact_weights(Runtime& runtime, std::span<const float> logits,
                                  std::span<const std::uint8_t> keep);
/// The same for real `logits` and `pads` hostile ones behind them.
std::vector<double> exact_weights(Runtime& runtime, std::span<const double> logits,
                                  std::size_t pads);

/// 1 for each of `real` slots, 0 for each of `pads` behind them.
std::vector<std::uint8_t> right_padding(std::size_t real, std::size_t pads);

}  // namespace padless::study
