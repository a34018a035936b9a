#pragma once

#include <cstdint>
#include <span>

#include "padless/batch/pass.h"
#include "padless/core/export.h"
#include "padless/core/matrix.h"
#include "padless/core/runtime.h"
#include "padless/ops/loss_sum.h"

namespace padless {

/// What a cross-entropy is told beside logits and labels.
struct CrossEntropyOptions {
  /// s: the target is 1 - s at the label plus s / K everywhere. In [0, 1].
  float label_smoothing = 0;
  /// [K]: by what the loss of a row with this label is multiplied, smoothing included (PyTorch
  /// weighs each class's share of the smoothing by itself). Finite, at least 0; a loss that is not
  /// finite is NaN at a weight of 0. Or none.
  std::span<const float> class_weights = {};
};

/// Cross-entropy between the softmax of each row of logits and the row's label. Returns the sum of
/// the rows' losses, over pass.shards in double, how many rows it is of, and what they weigh: the
/// sum of their labels' class weights, in double, in the same order. A row labelled kIgnored has no
/// part in any, whatever its logits hold.
///
/// Shapes (R rows, K classes):
///   logits         [R, K]  read
///   labels         [R]     read; each in [0, K) or kIgnored
///   probabilities  [R, K]  written; 0 in ignored rows. Keep it for the backward
///
/// Throws ShapeError when a shape differs from the above or the shards do not cut R rows,
/// ValueError for another label or an option outside its range; nothing is then
/// written. `probabilities` must not overlap `logits`.
PADLESS_API LossSum softmax_cross_entropy_forward(Runtime& runtime, const Pass& pass,
                                                  MatrixView<const float> logits,
                                                  std::span<const std::int32_t> labels,
                                                  const CrossEntropyOptions& options,
                                                  MatrixView<float> probabilities);

/// d_logits = scale * class weight * (probabilities - target), exactly 0 in ignored rows. `scale`
/// is 1 / weight of the whole step, known before its first backward; for a weight of 0 any
/// finite number.
///
/// Shapes:
///   probabilities  [R, K]  read; as softmax_cross_entropy_forward left it
///   labels         [R]     read
///   d_logits       [R, K]  written. May be probabilities
///
/// Throws as softmax_cross_entropy_forward.
PADLESS_API void softmax_cross_entropy_backward(Runtime& runtime, const Pass& pass,
                                                MatrixView<const float> probabilities,
                                                std::span<const std::int32_t> labels,
                                                const CrossEntropyOptions& options, float scale,
                                                MatrixView<float> d_logits);

}  // namespace padless
