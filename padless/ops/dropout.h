#pragma once

#include <cstdint>

#include "padless/batch/pass.h"
#include "padless/core/export.h"
#include "padless/core/matrix.h"
#include "padless/core/runtime.h"

namespace padless {

/// The largest probability of being dropped, 65535/65536: 16 bits decide.
inline constexpr float kMostDropout = 0x1.fffep-1f;

/// In training, sets each number to 0 with probability p and scales the others by 1 / (1 - p), p
/// being rounded to a multiple of 1 / 65536. Without pass.training, or where p rounds to 0, copies.
///
/// Whether a number is dropped depends on pass.seed, pass.step, `op` (a number that no other op of
/// the model has), the number of the document, the row in the document and the column alone: not on
/// the batch. Philox's counter has 32 bits for each place; a document's number takes 16 more from
/// the place of the head, which is 0 here.
///
/// Shapes (T rows, C = width):
///   x    [T, C]  read
///   out  [T, C]  written. May be x itself
///
/// Throws ShapeError when a shape differs from the above or pass.documents has not T rows or not
/// pass.document_numbers' count; ValueError unless 0 <= p <= kMostDropout, or for a
/// document whose number is 2^48 or more or that has 2^32 rows or more.
PADLESS_API void dropout_forward(Runtime& runtime, const Pass& pass, float p, std::uint32_t op,
                                 MatrixView<const float> x, MatrixView<float> out);

/// The gradient of x: d_out, dropped and scaled as x was. The mask is made again, not stored.
///
/// Shapes:
///   d_out  [T, C]  read
///   d_x    [T, C]  written. May be d_out itself
///
/// Throws as dropout_forward.
PADLESS_API void dropout_backward(Runtime& runtime, const Pass& pass, float p, std::uint32_t op,
                                  MatrixView<const float> d_out, MatrixView<float> d_x);

}  // namespace padless
