#pragma once

#include <span>

#include "padless/batch/pass.h"
#include "padless/core/export.h"
#include "padless/core/matrix.h"
#include "padless/core/runtime.h"

namespace padless {

/// Divides each row by the root of the mean of its squares, then scales by column:
/// y = x * rstd * gamma, rstd = 1 / sqrt(mean of x^2 + epsilon). A row's result depends on that
/// row alone; a row of zeros gives zeros.
///
/// Shapes (T rows, C = width >= 1):
///   x      [T, C]  read
///   gamma  [C]     read
///   y      [T, C]  written. May be x, where no backward follows
///   rstd   [T]     written; keep it for the backward
///
/// Throws ShapeError when a shape differs from the above, ValueError unless epsilon is a finite
/// number above 0.
PADLESS_API void rms_norm_forward(Runtime& runtime, const Pass& pass, MatrixView<const float> x,
                                  std::span<const float> gamma, float epsilon, MatrixView<float> y,
                                  std::span<float> rstd);

/// The gradient of x.
///
/// Shapes:
///   d_y    [T, C]  read
///   x      [T, C]  read
///   gamma  [C]     read
///   rstd   [T]     read; as rms_norm_forward left it
///   d_x    [T, C]  written. May be d_y, once gamma's gradient is taken
///
/// Throws ShapeError when a shape differs from the above.
PADLESS_API void rms_norm_backward_input(Runtime& runtime, const Pass& pass,
                                         MatrixView<const float> d_y, MatrixView<const float> x,
                                         std::span<const float> gamma, std::span<const float> rstd,
                                         MatrixView<float> d_x);

/// The gradient of gamma, summed over the rows of pass.shards.
///
/// Shapes:
///   d_y      [T, C]  read
///   x        [T, C]  read
///   rstd     [T]     read; as rms_norm_forward left it
///   d_gamma  [C]     added to
///
/// Throws ShapeError when a shape differs from the above or the shards do not cut T rows.
PADLESS_API void rms_norm_backward_weight(Runtime& runtime, const Pass& pass,
                                          MatrixView<const float> d_y, MatrixView<const float> x,
                                          std::span<const float> rstd, std::span<float> d_gamma);

}  // namespace padless
