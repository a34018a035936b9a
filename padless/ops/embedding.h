#pragma once

#include <cstdint>
#include <span>

#include "padless/batch/pass.h"
#include "padless/core/export.h"
#include "padless/core/matrix.h"
#include "padless/core/runtime.h"

namespace padless {

/// out[t] = table[ids[t]].
///
/// Shapes (T rows, V = vocabulary, C = width):
///   table  [V, C]  read
///   ids    [T]     read; each in [0, V)
///   out    [T, C]  written
///
/// Throws ShapeError when a shape differs from the above, ValueError when an id is outside [0, V);
/// `out` is then as it was. `out` must not overlap `table`.
PADLESS_API void embedding_forward(Runtime& runtime, const Pass& pass,
                                   MatrixView<const float> table, std::span<const std::int32_t> ids,
                                   MatrixView<float> out);

/// The gradient of the table: d_table[v] += the sum of d_out[t] over the rows with ids[t] = v, over
/// pass.shards. The rows of ids that do not occur stay as they are.
///
/// Shapes:
///   ids      [T]     read; each in [0, V)
///   d_out    [T, C]  read
///   d_table  [V, C]  added to
///
/// Throws as embedding_forward, and ShapeError when the shards do not cut T rows.
PADLESS_API void embedding_backward(Runtime& runtime, const Pass& pass,
                                    std::span<const std::int32_t> ids,
                                    MatrixView<const float> d_out, MatrixView<float> d_table);

}  // namespace padless
