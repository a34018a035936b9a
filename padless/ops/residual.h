#pragma once

#include "padless/batch/pass.h"
#include "padless/core/export.h"
#include "padless/core/matrix.h"
#include "padless/core/runtime.h"

namespace padless {

/// y = y + x, element by element: where two paths meet, forward or backward.
///
/// Shapes (T rows, C = width):
///   x  [T, C]  read
///   y  [T, C]  added to
///
/// Throws ShapeError when the shapes differ.
PADLESS_API void add_to(Runtime& runtime, const Pass& pass, MatrixView<const float> x,
                        MatrixView<float> y);

}  // namespace padless
