#pragma once

#include <span>

#include "padless/batch/pass.h"
#include "padless/batch/segments.h"
#include "padless/core/export.h"
#include "padless/core/gru_reset.h"
#include "padless/core/matrix.h"
#include "padless/core/runtime.h"
#include "padless/ops/linear.h"

namespace padless {

/// The recurrent weight U [3H, H] of one direction, its rows in the order r, z, n, packed as the
/// convention multiplies by it. To give outputs for gru_forward, inputs for gru_backward.
struct GruWeights {
  const PackedWeights* recurrent = nullptr;  ///< GruReset::after: all of U; before: rows of r and z
  const PackedWeights* candidate = nullptr;  ///< GruReset::before: the rows of n; after: none
};

/// What one direction of gru_forward takes and gives.
struct GruForward {
  bool reversed = false;  ///< from each sequence's own last row to its first
  GruWeights weights;
  std::span<const float> recurrent_bias;  ///< [3H] read
  /// [T, 3H] read: the inputs' part of r, z and n, W x + b; then written: r, z and n themselves.
  MatrixView<float> gates;
  /// [T, H] written: the recurrent part of n. GruReset::after needs it for gru_backward; nothing
  /// is written where the view is empty.
  MatrixView<float> hidden;
  MatrixView<float> out;  ///< [T, H] written: h of every row
};

/// A gated recurrent unit over each sequence, in all `directions` at once:
///   r = sigmoid(x_r + U_r h + c_r), z = sigmoid(x_z + U_z h + c_z), n as GruReset says,
///   h' = (1 - z) n + z h, h being 0 before a sequence's first row.
/// Rounding and order are defined in reference/gru.h. Source: Cho et al., "Learning phrase
/// representations using RNN encoder-decoder for statistical machine translation" (EMNLP 2014).
///
/// Shapes as in GruForward (T = segs.total(), H = out.cols() of each direction).
///
/// Throws ShapeError when a shape differs, weights are missing, or they were packed for another
/// instruction set. The operands of directions must not overlap each other's; the halves of one
/// matrix do not.
PADLESS_API void gru_forward(Runtime& runtime, const Pass& pass, GruReset reset,
                             const Segments& segs, std::span<const GruForward> directions);

/// What one direction of gru_backward takes and gives.
struct GruBackward {
  bool reversed = false;
  GruWeights weights;
  MatrixView<const float> d_out;   ///< [T, H] read
  MatrixView<const float> gates;   ///< [T, 3H] read; as gru_forward left it
  MatrixView<const float> hidden;  ///< [T, H] read with GruReset::after; as gru_forward left it
  MatrixView<const float> out;     ///< [T, H] read; as gru_forward left it
  MatrixView<float> d_gates;       ///< [T, 3H] written: the gradient of the inputs' part
  MatrixView<float> d_recurrent_weight;  ///< [3H, H] added to
  std::span<float> d_recurrent_bias;     ///< [3H] added to
};

/// The gradients of the inputs' part of the gates, and of the recurrent weight and bias; the latter
/// two are summed over the rows of pass.shards.
///
/// Throws as gru_forward, and ShapeError when the shards do not cut T rows.
PADLESS_API void gru_backward(Runtime& runtime, const Pass& pass, GruReset reset,
                              const Segments& segs, std::span<const GruBackward> directions);

}  // namespace padless
