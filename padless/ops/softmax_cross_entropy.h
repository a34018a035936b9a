#pragma once

#include <cstdint>
#include <span>

#include "padless/batch/pass.h"
#include "padless/core/export.h"
#include "padless/core/matrix.h"
#include "padless/core/runtime.h"
#include "padless/ops/loss_sum.h"

namespace padless {

/// Cross-entropy between the softmax of each row of logits and the row's label. Returns the sum of
/// the rows' losses, over pass.shards in double, and how many rows it is of. A row labelled
/// kIgnored has no part in either, whatever its logits hold.
///
/// With label smoothing s the target is 1 - s at the label plus s / K everywhere.
///
/// Shapes (R rows, K classes):
///   logits         [R, K]  read
///   labels         [R]     read; each in [0, K) or kIgnored
///   probabilities  [R, K]  written; 0 in ignored rows. Keep it for the backward
///
/// Throws ShapeError when a shape differs from the above or the shards do not cut R rows,
/// ValueError for another label or a smoothing outside [0, 1]; nothing is then
/// written. `probabilities` must not overlap `logits`.
PADLESS_API LossSum softmax_cross_entropy_forward(Runtime& runtime, const Pass& pass,
                                                  MatrixView<const float> logits,
                                                  std::span<const std::int32_t> labels,
                                                  float label_smoothing,
                                                  MatrixView<float> probabilities);

/// d_logits = scale * (probabilities - target), exactly 0 in ignored rows. `scale` is 1 / count of
/// the whole step, known before its first backward; for a count of 0 any number.
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
                                                float label_smoothing, float scale,
                                                MatrixView<float> d_logits);

}  // namespace padless
