#pragma once

#include "padless/batch/pass.h"
#include "padless/core/export.h"
#include "padless/core/matrix.h"
#include "padless/core/runtime.h"

namespace padless {

/// y = y * x, element by element: a gate and what it lets through. The gradient of one factor is
/// that of the product times the other.
///
/// Shapes (T rows, C = width):
///   x  [T, C]  read
///   y  [T, C]  multiplied
///
/// Throws ShapeError when the shapes differ.
PADLESS_API void multiply_by(Runtime& runtime, const Pass& pass, MatrixView<const float> x,
                             MatrixView<float> y);

}  // namespace padless
