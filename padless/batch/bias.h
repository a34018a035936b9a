// What is added to attention scores before the softmax. A dropped key is no bias: it is left out of
// maximum and sum, so a fill constant (-10000, -inf, ...) becomes a KeepMask here.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "padless/batch/attention_array.h"
#include "padless/batch/mask.h"
#include "padless/batch/mask_array.h"
#include "padless/core/export.h"

namespace padless {

/// Finite numbers added to scores, [B, H or 1, L or 1, S].
class PADLESS_API Bias {
 public:
  /// No sequence.
  Bias() = default;
  /// Float [B or 1, H or 1, L or 1, S], [H, L, S], [L, S] or [B, S]. Throws ShapeError for other
  /// shapes and for one with two readings (B = L), ValueError for NaN, infinities and other types.
  static Bias of(const MaskArray& array, const AttentionSizes& sizes);

  const AttentionSizes& sizes() const { return cells_.sizes(); }
  /// What is added to one query's scores, key by key.
  std::span<const float> row(std::size_t b, std::size_t h, std::size_t q) const {
    return cells_.row(b, h, q);
  }
  friend bool operator==(const Bias&, const Bias&) = default;

 private:
  friend struct AdditiveMask;
  explicit Bias(AttentionArray<float> cells) : cells_(std::move(cells)) {}

  AttentionArray<float> cells_;
};

/// A float mask that another library adds to its scores, taken apart.
struct PADLESS_API AdditiveMask {
  /// Numbers at or below this drop their key: -10000, which is -9984 in bfloat16, -3e4, -65504,
  /// -1e9, finfo.min of every type and parts of it, -inf.
  static constexpr float kDropAtMost = -9984;

  KeepMask keep;             ///< what is not dropped
  std::optional<Bias> bias;  ///< when other numbers than 0 are left; 0 where dropped

  /// Float, in the shapes of Bias::of, which also says what is thrown; -inf is legal here. With an
  /// order: [L, S] or [B * H, L, S], as PyTorch's MultiheadAttention takes its attn_mask. A mask of
  /// only 0 and 1 with a 1 in it is refused: it is somebody's keep or drop mask.
  static AdditiveMask from_additive(const MaskArray& array, const AttentionSizes& sizes,
                                    std::optional<HeadOrder> order = std::nullopt);
};

/// ALiBi: the slope of each head; a key's bias is -slope * distance. For 2^k heads the powers 1 to
/// 2^k of 2^(-8 / 2^k); for others those of the next smaller 2^k, then every second one of 2^(k +
/// 1). Source: Press, Smith and Lewis, "Train short, test long" (ICLR 2022), and its published
/// code.
PADLESS_API std::vector<float> alibi_slopes(std::size_t heads);

/// T5's relative positions: near distances have a bucket each, far ones share buckets that grow
/// with the logarithm up to `max_distance`, beyond which all share the last.
/// Source: Raffel et al., "Exploring the limits of transfer learning" (JMLR 2020), and its
/// published code.
struct PADLESS_API T5Buckets {
  std::size_t count = 32;
  std::size_t max_distance = 128;
  bool bidirectional = true;  ///< half of the buckets for keys after the query; else those share 0

  /// The bucket of a key at `distance` = key's place - query's place. Throws ValueError unless
  /// there are at least 2 buckets (4, an even number, when bidirectional) and max_distance exceeds
  /// the distances that have a bucket each.
  std::size_t bucket(std::ptrdiff_t distance) const;
};

}  // namespace padless
