#pragma once

#include <cstddef>
#include <span>

#include "padless/batch/pass.h"
#include "padless/batch/segments.h"
#include "padless/core/export.h"
#include "padless/core/matrix.h"
#include "padless/core/rotary_pairing.h"
#include "padless/core/runtime.h"

namespace padless {

/// The cosines and sines of rotary positions [0, positions), made once for a model: pair i of the
/// first `width` columns of a head turns by position * base^(-2i / width). In double by functions
/// of our own and rounded once, so that they are the same on every machine.
class PADLESS_API RotaryTable {
 public:
  /// Throws ValueError unless width is even and above 0 and base is a finite number above 0.
  RotaryTable(std::size_t positions, std::size_t width, RotaryPairing pairing, double base = 10000);

  std::size_t positions() const { return cos_.rows(); }
  std::size_t width() const { return cos_.cols(); }
  RotaryPairing pairing() const { return pairing_; }

  /// By column: each column's cosine, and its partner's sine with the sign it is added with.
  std::span<const float> cos(std::size_t position) const { return cos_.row(position); }
  std::span<const float> sin(std::size_t position) const { return sin_.row(position); }

 private:
  RotaryPairing pairing_;
  Matrix<float> cos_, sin_;
};

/// Turns each row of queries or keys by its position in its own sequence: in each head pairs (a, b)
/// become (a cos - b sin, b cos + a sin). Columns behind the table's width stay. The product of a
/// turned query and a turned key then depends on their distance alone.
///
/// Shapes (B = segs.count(), T = segs.total(), D = a head's width):
///   x      [T, heads * D]  read
///   first  [B] or none     read; each sequence's first position (of a key/value cache), else 0
///   y      [T, heads * D]  written. May be x
///
/// Throws ShapeError when a shape differs from the above or D is below the table's width,
/// ValueError for a sequence that ends behind the table's positions.
PADLESS_API void rope_forward(Runtime& runtime, const Pass& pass, const RotaryTable& table,
                              std::size_t heads, MatrixView<const float> x, const Segments& segs,
                              std::span<const std::size_t> first, MatrixView<float> y);

/// The gradient of x: d_y turned back.
///
/// Shapes:
///   d_y    [T, heads * D]  read
///   first  [B] or none     read
///   d_x    [T, heads * D]  written. May be d_y
///
/// Throws as rope_forward.
PADLESS_API void rope_backward(Runtime& runtime, const Pass& pass, const RotaryTable& table,
                               std::size_t heads, MatrixView<const float> d_y, const Segments& segs,
                               std::span<const std::size_t> first, MatrixView<float> d_x);

}  // namespace padless
