#pragma once

#include <cstddef>
#include <span>

#include "padless/batch/pass.h"
#include "padless/batch/segments.h"
#include "padless/core/export.h"
#include "padless/core/matrix.h"
#include "padless/core/runtime.h"

namespace padless {

/// Adds to each row the table's row of its position in its own sequence: y[t] = x[t] + table[p].
///
/// Shapes (B = segs.count(), T = segs.total(), C = width, P positions):
///   table  [P, C]     read; learned, or made by sinusoidal_positions
///   first  [B] or none  read; each sequence's first position (of a key/value cache), else 0
///   x      [T, C]     read
///   y      [T, C]     written. May be x
///
/// Throws ShapeError when a shape differs from the above, ValueError for a sequence that ends
/// behind the table.
PADLESS_API void position_embedding_forward(Runtime& runtime, const Pass& pass,
                                            MatrixView<const float> table, const Segments& segs,
                                            std::span<const std::size_t> first,
                                            MatrixView<const float> x, MatrixView<float> y);

/// The gradient of the table, summed over the rows of pass.shards; that of x is d_y itself. The
/// rows of positions that do not occur stay as they are.
///
/// Shapes:
///   first    [B] or none  read
///   d_y      [T, C]       read
///   d_table  [P, C]       added to
///
/// Throws as position_embedding_forward, and ShapeError when the shards do not cut T rows.
PADLESS_API void position_embedding_backward(Runtime& runtime, const Pass& pass,
                                             const Segments& segs,
                                             std::span<const std::size_t> first,
                                             MatrixView<const float> d_y,
                                             MatrixView<float> d_table);

/// Fills a table with waves that need no learning: table[p, 2i] = sin(a), table[p, 2i + 1] =
/// cos(a), a = p * 10000^(-2i / C), the same bits on every machine. Source: Vaswani et al.,
/// "Attention is all you need" (NeurIPS 2017), section 3.5.
///
/// Shapes:
///   table  [P, C]  written
PADLESS_API void sinusoidal_positions(MatrixView<float> table);

}  // namespace padless
