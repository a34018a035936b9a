#pragma once

#include <cstddef>
#include <memory>

#include "padless/core/activation.h"
#include "padless/core/export.h"
#include "padless/layers/feed_forward.h"
#include "padless/layers/multi_head_attention.h"
#include "padless/layers/norm.h"
#include "padless/layers/sublayer.h"
#include "padless/layers/token_embedding.h"
#include "padless/ops/rope.h"

namespace padless {

/// The numbers that make a block of a Transformer, of the encoder or of the decoder.
struct PADLESS_API BlockConfig {
  std::size_t width = 0;         ///< C
  std::size_t heads = 1;         ///< H
  std::size_t key_heads = 0;     ///< heads of keys and values, a divisor of heads; 0: heads
  std::size_t head_width = 0;    ///< D; 0: width / heads
  std::size_t feed_forward = 0;  ///< F
  Activation activation = Activation::gelu;
  bool gated = false;  ///< whether the feed-forward is
  NormKind norm = NormKind::layer;
  NormPlace norm_place = NormPlace::pre;
  float epsilon = 1e-5f;  ///< of the norms
  float dropout = 0;      ///< of attention weights, of hidden numbers, of what is added to a row
  bool alibi = false;     ///< see MultiHeadAttentionConfig
  std::shared_ptr<const RotaryTable> rotary = {};

  /// Throws ValueError, naming the field, as those of attention and feed-forward do.
  void check() const;

  /// Its self-attention's, over the keys that `attend` leaves.
  MultiHeadAttentionConfig attention(const Attend& attend) const;
  /// Its attention's to other rows, of any place.
  MultiHeadAttentionConfig cross_attention() const;
  FeedForwardConfig feed_forward_config() const;
  /// A sublayer of it.
  Sublayer sublayer() const { return {norm, norm_place, width, epsilon, dropout}; }
  /// The same with what a model's positions ask of the attention: alibi, or a rotary table for
  /// sequences of up to `max_length` rows.
  BlockConfig with_positions(Positions positions, std::size_t max_length) const;
  /// Throws ValueError, naming `who` and the field, where with_positions or TokenEmbedding cannot
  /// do that: heads of an odd width are not turned, and tables beyond 2^24 numbers are not made.
  void check_positions(const char* who, Positions positions, std::size_t max_length) const;
  /// How many numbers a norm learns.
  double norm_parameters() const;
};

}  // namespace padless
