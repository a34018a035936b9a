#pragma once

#include <span>

#include "padless/batch/pass.h"
#include "padless/core/export.h"
#include "padless/core/runtime.h"
#include "padless/ops/loss_sum.h"

namespace padless {

/// Squared distance of each prediction from its target. Returns the sum over the rows, over
/// pass.shards in double, and how many rows it is of. A row without a target is left out by the
/// caller: a number never means "ignored", and a target that is not finite is refused.
///
/// Shapes (R rows):
///   predictions  [R]  read
///   targets      [R]  read; finite
///
/// Throws ShapeError when a shape differs from the above or the shards do not cut R rows,
/// ValueError for a target that is not finite.
PADLESS_API LossSum mean_squared_error_forward(Runtime& runtime, const Pass& pass,
                                               std::span<const float> predictions,
                                               std::span<const float> targets);

/// d_predictions = scale * 2 * (predictions - targets). `scale` is 1 / count of the whole step,
/// known before its first backward.
///
/// Shapes:
///   predictions    [R]  read
///   targets        [R]  read; finite
///   d_predictions  [R]  written
///
/// Throws as mean_squared_error_forward.
PADLESS_API void mean_squared_error_backward(Runtime& runtime, const Pass& pass,
                                             std::span<const float> predictions,
                                             std::span<const float> targets, float scale,
                                             std::span<float> d_predictions);

}  // namespace padless
