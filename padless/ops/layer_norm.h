#pragma once

#include <span>

#include "padless/batch/pass.h"
#include "padless/core/export.h"
#include "padless/core/matrix.h"
#include "padless/core/runtime.h"

namespace padless {

/// Moves each row to mean 0 and variance 1, then scales and shifts by column:
/// y = (x - mean) * rstd * gamma + beta, rstd = 1 / sqrt(variance + epsilon). A row's result
/// depends on that row alone.
///
/// A row of C times the number x gives beta where no sum rounds: where C = 1, or |x| = n * 2^e with
/// a whole n <= 2^24 / C. Else the mean is off by at most |x| * (ceil(C / 16) + 4) / 2^24 (to first
/// order), and y by that over sqrt(epsilon), but at most 1, times |gamma|.
///
/// Shapes (T rows, C = width >= 1):
///   x            [T, C]  read
///   gamma, beta  [C]     read
///   y            [T, C]  written. May be x, where no backward follows
///   mean, rstd   [T]     written; keep them for the backward
///
/// Throws ShapeError when a shape differs from the above, ValueError unless epsilon is a finite
/// number above 0.
PADLESS_API void layer_norm_forward(Runtime& runtime, const Pass& pass, MatrixView<const float> x,
                                    std::span<const float> gamma, std::span<const float> beta,
                                    float epsilon, MatrixView<float> y, std::span<float> mean,
                                    std::span<float> rstd);

/// The gradient of x.
///
/// Shapes:
///   d_y         [T, C]  read
///   x           [T, C]  read
///   gamma       [C]     read
///   mean, rstd  [T]     read; as layer_norm_forward left them
///   d_x         [T, C]  written. May be d_y, once the weights' gradients are taken
///
/// Throws ShapeError when a shape differs from the above.
PADLESS_API void layer_norm_backward_input(Runtime& runtime, const Pass& pass,
                                           MatrixView<const float> d_y, MatrixView<const float> x,
                                           std::span<const float> gamma,
                                           std::span<const float> mean, std::span<const float> rstd,
                                           MatrixView<float> d_x);

/// The gradients of gamma and beta, summed over the rows of pass.shards.
///
/// Shapes:
///   d_y              [T, C]  read
///   x                [T, C]  read
///   mean, rstd       [T]     read; as layer_norm_forward left them
///   d_gamma, d_beta  [C]     added to
///
/// Throws ShapeError when a shape differs from the above or the shards do not cut T rows.
PADLESS_API void layer_norm_backward_weight(Runtime& runtime, const Pass& pass,
                                            MatrixView<const float> d_y, MatrixView<const float> x,
                                            std::span<const float> mean,
                                            std::span<const float> rstd, std::span<float> d_gamma,
                                            std::span<float> d_beta);

}  // namespace padless
