#pragma once

#include "padless/batch/pass.h"
#include "padless/core/activation.h"
#include "padless/core/export.h"
#include "padless/core/matrix.h"
#include "padless/core/runtime.h"

namespace padless {

/// y = kind(x), each number by itself. NaN gives NaN; of the infinities gelu, gelu_tanh and silu
/// give NaN for the negative one.
///
/// Shapes (T rows, C = width):
///   x  [T, C]  read
///   y  [T, C]  written. May be x, where no backward follows
///
/// Throws ShapeError when the shapes differ.
PADLESS_API void activation_forward(Runtime& runtime, const Pass& pass, Activation kind,
                                    MatrixView<const float> x, MatrixView<float> y);

/// d_x = d_y * the derivative of kind at x. That of relu is 0 at 0. At the infinities every
/// derivative is its limit.
///
/// Shapes:
///   d_y  [T, C]  read
///   x    [T, C]  read; what went into forward. For relu alone y does as well
///   d_x  [T, C]  written. May be d_y, or x
///
/// Throws ShapeError when the shapes differ.
PADLESS_API void activation_backward(Runtime& runtime, const Pass& pass, Activation kind,
                                     MatrixView<const float> d_y, MatrixView<const float> x,
                                     MatrixView<float> d_x);

}  // namespace padless
