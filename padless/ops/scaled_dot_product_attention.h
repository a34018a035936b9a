// Attention over padded arrays, as other libraries call it: the door through which padding goes
// out.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "padless/batch/bias.h"
#include "padless/batch/mask.h"
#include "padless/core/export.h"
#include "padless/core/runtime.h"

namespace padless {

/// Looks at floats of any number of dimensions, row-major, without gaps. Does not own them.
struct FloatArray {
  std::span<const float> cells;
  std::vector<std::size_t> shape;
};

/// What a padded attention drops, and what it adds to scores. Made from a mask with a side or from
/// another library's additive mask taken apart; a bare array has neither.
class PADLESS_API PaddedMask {
 public:
  /// Nothing is dropped.
  PaddedMask() = default;
  PaddedMask(KeepMask keep) : keep_(std::move(keep)) {}        // NOLINT(*-explicit-*)
  PaddedMask(const DropMask& drop) : keep_(drop.to_keep()) {}  // NOLINT(*-explicit-*)
  PaddedMask(AdditiveMask mask)                                // NOLINT(*-explicit-*)
      : keep_(std::move(mask.keep)), bias_(std::move(mask.bias)) {}

  /// Null where there is none.
  const KeepMask* keep() const { return keep_ ? &*keep_ : nullptr; }
  const Bias* bias() const { return bias_ ? &*bias_ : nullptr; }

 private:
  std::optional<KeepMask> keep_;
  std::optional<Bias> bias_;
};

/// What it gives: arrays that own their numbers.
struct PaddedAttention {
  std::vector<float> output;   ///< [..., L, E]
  std::vector<float> weights;  ///< [..., L, S]; 0 where dropped
  std::vector<std::size_t> output_shape, weights_shape;
};

/// softmax(q k^T / sqrt(D)) v for each of the leading dimensions, which q, k and v share.
///
/// A key that no query may see is left out before anything is computed, so that the bits do not
/// depend on how much padding there is, on which side, and on what it holds. A query that may see
/// no key gives zeros, where others give NaN, or the mean over the padding.
///
/// Shapes (any leading dimensions):
///   q     [..., L, D]
///   k     [..., S, D]
///   v     [..., S, E]
///   mask  of leading_sizes(leading dimensions, L, S): see KeepMask::broadcast
///
/// `scale` is 1 / sqrt(D) without one.
///
/// Throws ShapeError when a shape differs from the above, ValueError for heads that are 0 wide (D =
/// 0, unless there is no query), for a scale that is no finite number and for 2^30 - 1 queries or
/// keys or more.
PADLESS_API PaddedAttention scaled_dot_product_attention(Runtime& runtime, const FloatArray& q,
                                                         const FloatArray& k, const FloatArray& v,
                                                         const PaddedMask& mask = {},
                                                         std::optional<float> scale = {});

}  // namespace padless
