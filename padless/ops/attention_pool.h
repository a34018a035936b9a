#pragma once

#include <cstddef>
#include <span>

#include "padless/batch/pass.h"
#include "padless/batch/segments.h"
#include "padless/core/export.h"
#include "padless/core/matrix.h"
#include "padless/core/runtime.h"

namespace padless {

/// Pools each sequence into one row: out[b] = sum over t in segs[b] of weights[t] * x[t], where
/// weights = softmax of scores inside the sequence. An empty sequence gives a zero row; how many
/// there are is returned.
///
/// Shapes (B = segs.count(), T = segs.total(), C = width):
///   x        [T, C]  read
///   scores   [T]     read
///   out      [B, C]  written
///   weights  [T]     written; keep it for attention_pool_backward
///
/// Throws ShapeError when a shape differs from the above. `out` must not overlap `x`.
PADLESS_API std::size_t attention_pool_forward(Runtime& runtime, const Pass& pass,
                                               MatrixView<const float> x,
                                               std::span<const float> scores, const Segments& segs,
                                               MatrixView<float> out, std::span<float> weights);

/// The gradients of x and scores. An empty sequence's upstream gradient reaches nothing.
///
/// Shapes:
///   d_out     [B, C]  read
///   x         [T, C]  read
///   weights   [T]     read; as attention_pool_forward left it
///   d_x       [T, C]  written
///   d_scores  [T]     written
///
/// Throws ShapeError when a shape differs from the above.
PADLESS_API void attention_pool_backward(Runtime& runtime, const Pass& pass,
                                         MatrixView<const float> d_out, MatrixView<const float> x,
                                         std::span<const float> weights, const Segments& segs,
                                         MatrixView<float> d_x, std::span<float> d_scores);

}  // namespace padless
