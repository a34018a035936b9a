#pragma once

#include <span>

#include "padless/batch/pass.h"
#include "padless/core/export.h"
#include "padless/core/runtime.h"
#include "padless/ops/loss_sum.h"

namespace padless {

/// Huber's distance of each prediction from its target: half the square up to delta, a straight
/// line beyond, so that a few wild targets do not rule the mean. Returns the sum over the rows,
/// over pass.shards in double, and how many rows it is of. A row without a target is left out by
/// the caller.
///
/// Shapes (R rows):
///   predictions  [R]  read
///   targets      [R]  read; finite
///
/// Throws ShapeError when a shape differs from the above or the shards do not cut R rows,
/// ValueError for a target that is not finite, or unless delta is a finite number above 0.
PADLESS_API LossSum huber_forward(Runtime& runtime, const Pass& pass,
                                  std::span<const float> predictions,
                                  std::span<const float> targets, float delta);

/// d_predictions = scale * the difference, clamped to [-delta, delta]. `scale` is 1 / count of the
/// whole step, known before its first backward.
///
/// Shapes:
///   predictions    [R]  read
///   targets        [R]  read; finite
///   d_predictions  [R]  written
///
/// Throws as huber_forward.
PADLESS_API void huber_backward(Runtime& runtime, const Pass& pass,
                                std::span<const float> predictions, std::span<const float> targets,
                                float delta, float scale, std::span<float> d_predictions);

}  // namespace padless
