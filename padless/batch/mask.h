// Masks with a side: true means "may attend" in a KeepMask and "may not" in a DropMask. Neither is
// made from a bare array: a named constructor says whose array it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "padless/batch/attention_array.h"
#include "padless/batch/mask_array.h"
#include "padless/batch/segments.h"
#include "padless/core/export.h"
#include "padless/core/matrix.h"

namespace padless {

class DropMask;

/// Which keys each query may attend, [B, H or 1, L or 1, S], kept cell by cell: holes stay holes.
///
/// Every constructor from an array throws ShapeError for another rank or size than it states and
/// ValueError for another element type or value; the message says what was probably meant.
/// None guesses a side from the content.
class PADLESS_API KeepMask {
 public:
  /// No sequence.
  KeepMask() = default;

  /// Right padding to `slots` slots each: the first `length` slots of a sequence are kept.
  static KeepMask from_segments(const Segments& segs, std::size_t slots);
  /// The same by lengths, integers [B] ...
  static KeepMask from_lengths(const MaskArray& lengths, std::size_t slots);
  /// ... or by offsets, integers [B + 1].
  static KeepMask from_cu_seqlens(const MaskArray& offsets, std::size_t slots);

  /// Any array of 0 and 1, 1 = may attend: [B or 1, H or 1, L or 1, S], [H, L, S], [L, S] or
  /// [B, S]. A shape with two readings (B = L) is refused.
  static KeepMask of(const MaskArray& array, const AttentionSizes& sizes);

  /// Any array of 0 and 1, 1 = may attend, whose shape spreads over [leading..., L, S] as NumPy's
  /// arrays do: from the last dimension on, 1 stands for all, missing dimensions for 1. The result
  /// is of leading_sizes(leading, queries, keys).
  static KeepMask broadcast(const MaskArray& array, std::span<const std::size_t> leading,
                            std::size_t queries, std::size_t keys);

  /// BERT's to_mask: integers [B, S], 1 = may be attended.
  static KeepMask from_bert(const MaskArray& array);
  /// Hugging Face's attention_mask: integers or bool [B, S], 1 = real token.
  static KeepMask from_hf(const MaskArray& array);
  /// Keras' bool mask [B, S], or a MultiHeadAttention's attention_mask [B, L, S]; True = keep.
  static KeepMask from_keras(const MaskArray& array);
  /// Keras' Masking(mask_value): of x [B * S, C] a step is dropped when all its C numbers equal
  /// mask_value.
  static KeepMask from_keras_masking(MatrixView<const float> x, std::size_t batch,
                                     float mask_value);
  /// PyTorch's key_padding_mask (src_key_padding_mask): bool [B, S], True = pad.
  static KeepMask from_torch_padding(const MaskArray& array);
  /// PyTorch's MultiheadAttention attn_mask: bool, True = not allowed, [L, S], or [B * H, L, S]
  /// with the order of its first dimension named.
  static KeepMask from_torch_attention(const MaskArray& array, const AttentionSizes& sizes,
                                       std::optional<HeadOrder> order = std::nullopt);
  /// PyTorch's scaled_dot_product_attention attn_mask: bool, True = keep, that broadcasts to
  /// [B, H, L, S]. [L, S] with B = L is refused: it reads as [B, S], too; give [1, 1, L, S].
  static KeepMask from_sdpa(const MaskArray& array, const AttentionSizes& sizes);
  /// The TensorFlow Transformer tutorial's: 1 = pad or future, float [B, 1, 1, S], look-ahead
  /// [L, S], or the maximum of the two [B, 1, L, S].
  static KeepMask from_tf_tutorial(const MaskArray& array, const AttentionSizes& sizes);
  /// ONNX Runtime's com.microsoft.Attention mask_index, int32 in five forms: [B, S] and [B, L, S]
  /// with 1 = keep; [B] lengths; [2 B] ends (exclusive), then starts; [3 B + 2] lengths, then
  /// B + 1 starts of the queries and of the keys, which are multiples of L and of S.
  static KeepMask from_mask_index(const MaskArray& array, const AttentionSizes& sizes);

  const AttentionSizes& sizes() const { return cells_.sizes(); }
  /// Whether sequence b's query q may attend key k in head h.
  bool operator()(std::size_t b, std::size_t h, std::size_t q, std::size_t k) const {
    return cells_.row(b, h, q)[k] != 0;
  }
  /// One query's keys, 1 = may attend.
  std::span<const std::uint8_t> row(std::size_t b, std::size_t h, std::size_t q) const {
    return cells_.row(b, h, q);
  }
  /// Whether it is the same for every head and query: padding, [B, 1, 1, S].
  bool is_key_mask() const { return sizes().heads == 1 && sizes().queries == 1; }
  /// The number of keys that each sequence keeps, wherever they are. Throws ShapeError unless it
  /// is a key mask.
  Segments key_lengths() const;
  /// The lengths, if the mask says no more than they do: a key mask with right padding only.
  std::optional<Segments> as_lengths() const;

  DropMask to_drop() const;
  /// For other libraries. Key masks as [B, S] (ShapeError for others):
  std::vector<std::int64_t> to_hf() const;             ///< 1 = real token
  std::vector<std::uint8_t> to_keras() const;          ///< 1 = keep
  std::vector<std::uint8_t> to_torch_padding() const;  ///< 1 = pad
  /// Any mask as sizes() says: [B, H or 1, L or 1, S].
  std::vector<std::uint8_t> to_sdpa() const;  ///< 1 = keep
  /// 0 where kept, `fill` where not.
  std::vector<float> to_additive(float fill = -std::numeric_limits<float>::infinity()) const;

  /// What both keep. Throws ShapeError unless batch and keys are equal, heads and queries equal
  /// or 1.
  KeepMask operator&(const KeepMask& other) const;
  friend bool operator==(const KeepMask&, const KeepMask&) = default;

 private:
  friend class DropMask;
  friend struct AdditiveMask;
  explicit KeepMask(AttentionArray<std::uint8_t> cells) : cells_(std::move(cells)) {}

  AttentionArray<std::uint8_t> cells_;
};

/// Which keys each query may not attend: the other side of a KeepMask.
class PADLESS_API DropMask {
 public:
  /// No sequence.
  DropMask() = default;
  /// Any array of 0 and 1, 1 = may not attend, in the shapes of KeepMask::of.
  static DropMask of(const MaskArray& array, const AttentionSizes& sizes);
  /// Likewise, in the shapes of KeepMask::broadcast.
  static DropMask broadcast(const MaskArray& array, std::span<const std::size_t> leading,
                            std::size_t queries, std::size_t keys);

  const AttentionSizes& sizes() const { return keep_.sizes(); }
  /// Whether sequence b's query q may not attend key k in head h.
  bool operator()(std::size_t b, std::size_t h, std::size_t q, std::size_t k) const {
    return !keep_(b, h, q, k);
  }
  KeepMask to_keep() const { return keep_; }

  /// What either drops. Throws as KeepMask's & does.
  DropMask operator|(const DropMask& other) const { return DropMask(keep_ & other.keep_); }
  friend bool operator==(const DropMask&, const DropMask&) = default;

 private:
  friend class KeepMask;
  explicit DropMask(KeepMask keep) : keep_(std::move(keep)) {}

  KeepMask keep_;
};

}  // namespace padless
