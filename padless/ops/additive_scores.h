#pragma once

#include <span>

#include "padless/batch/pass.h"
#include "padless/core/export.h"
#include "padless/core/matrix.h"
#include "padless/core/runtime.h"

namespace padless {

/// Scores of additive attention: u = tanh(h), scores[t] = u[t] . context, where h = W x + b is a
/// linear layer's output. Source: Yang et al., "Hierarchical attention networks for document
/// classification" (NAACL 2016), equations 5 and 6.
///
/// Shapes (T rows, A = attention width):
///   h        [T, A]  read
///   context  [A]     read
///   u        [T, A]  written; keep it for additive_scores_backward. May be h itself
///   scores   [T]     written
///
/// Throws ShapeError when a shape differs from the above.
PADLESS_API void additive_scores_forward(Runtime& runtime, const Pass& pass,
                                         MatrixView<const float> h, std::span<const float> context,
                                         MatrixView<float> u, std::span<float> scores);

/// The gradients of h and context; the latter is summed over the rows of pass.shards.
///
/// Shapes:
///   d_scores   [T]     read
///   u          [T, A]  read; as additive_scores_forward left it
///   context    [A]     read
///   d_h        [T, A]  written
///   d_context  [A]     added to
///
/// Throws ShapeError when a shape differs from the above or the shards do not cut T rows.
PADLESS_API void additive_scores_backward(Runtime& runtime, const Pass& pass,
                                          std::span<const float> d_scores,
                                          MatrixView<const float> u, std::span<const float> context,
                                          MatrixView<float> d_h, std::span<float> d_context);

}  // namespace padless
