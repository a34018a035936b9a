#pragma once

#include <cstddef>

#include "padless/batch/pass.h"
#include "padless/batch/segments.h"
#include "padless/core/export.h"
#include "padless/core/matrix.h"
#include "padless/core/runtime.h"

namespace padless {

/// How a sequence's rows become one row.
enum class PoolKind {
  sum,
  mean,       ///< sum / n
  sqrt_mean,  ///< sum / sqrt(n)
  max,        ///< per column; of equal ones the first; a NaN is larger than all
  first,      ///< "CLS"
  last,
  log_sum_exp,  ///< per column, log of the sum of exponentials: a soft maximum, >= max
};

/// Pools each sequence into one row. An empty sequence gives a zero row, whatever the kind; how
/// many there are is returned.
///
/// Shapes (B = segs.count(), T = segs.total(), C = width):
///   x    [T, C]  read
///   out  [B, C]  written
///
/// Throws ShapeError when a shape differs from the above. `out` must not overlap `x`.
PADLESS_API std::size_t pool_forward(Runtime& runtime, const Pass& pass, PoolKind kind,
                                     MatrixView<const float> x, const Segments& segs,
                                     MatrixView<float> out);

/// The gradient of x. An empty sequence's upstream gradient reaches nothing.
///
/// Shapes:
///   d_out  [B, C]  read
///   x      [T, C]  read, for max and log_sum_exp alone
///   d_x    [T, C]  written
///
/// Throws as pool_forward.
PADLESS_API void pool_backward(Runtime& runtime, const Pass& pass, PoolKind kind,
                               MatrixView<const float> d_out, MatrixView<const float> x,
                               const Segments& segs, MatrixView<float> d_x);

}  // namespace padless
