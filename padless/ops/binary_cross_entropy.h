#pragma once

#include <cstdint>
#include <span>

#include "padless/batch/pass.h"
#include "padless/core/export.h"
#include "padless/core/matrix.h"
#include "padless/core/runtime.h"
#include "padless/ops/loss_sum.h"

namespace padless {

/// Cross-entropy of several labels per row, each a yes or no by itself, between sigmoid(logits) and
/// targets. Returns the sum over all positions, over pass.shards in double, and how many positions
/// it is of. A position that is kIgnored has no part in either, whatever its logit holds.
///
/// Shapes (R rows, K labels):
///   logits            [R, K]       read
///   targets           [R, K]       read; each 0, 1 or kIgnored
///   positive_weights  [K] or none  read; by what the loss of a target of 1 is multiplied
///
/// Throws ShapeError when a shape differs from the above or the shards do not cut R rows,
/// ValueError for another target or a weight that is no finite number of at least 0.
PADLESS_API LossSum binary_cross_entropy_forward(Runtime& runtime, const Pass& pass,
                                                 MatrixView<const float> logits,
                                                 MatrixView<const std::int32_t> targets,
                                                 std::span<const float> positive_weights);

/// d_logits = scale * the derivative, exactly 0 in ignored positions. `scale` is 1 / count of the
/// whole step, known before its first backward; for a count of 0 any number.
///
/// Shapes:
///   logits            [R, K]       read
///   targets           [R, K]       read
///   positive_weights  [K] or none  read
///   d_logits          [R, K]       written. May be logits
///
/// Throws as binary_cross_entropy_forward.
PADLESS_API void binary_cross_entropy_backward(Runtime& runtime, const Pass& pass,
                                               MatrixView<const float> logits,
                                               MatrixView<const std::int32_t> targets,
                                               std::span<const float> positive_weights, float scale,
                                               MatrixView<float> d_logits);

}  // namespace padless
