#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "padless/batch/pass.h"
#include "padless/batch/segments.h"
#include "padless/core/export.h"
#include "padless/core/matrix.h"
#include "padless/core/parameter.h"
#include "padless/core/rng.h"
#include "padless/core/runtime.h"
#include "padless/layers/block_config.h"
#include "padless/layers/feed_forward.h"
#include "padless/layers/multi_head_attention.h"
#include "padless/layers/sublayer.h"

namespace padless {

/// A block of a Transformer encoder: self-attention, then a feed-forward, each a residual sublayer
/// with a norm. Source: Vaswani et al., "Attention is all you need" (NeurIPS 2017), section 3.1.
class PADLESS_API EncoderBlock {
 public:
  /// What forward leaves for backward, in the runtime's arena.
  struct Saved {
    Sublayer::Saved attention_sublayer, feed_forward_sublayer;
    MultiHeadAttention::Saved attention;
    FeedForward::Saved feed_forward;
    MatrixView<float> middle;  ///< [T, C]: between the two
  };

  /// Numbers of draws that a block takes: op to op + kOps - 1.
  static constexpr std::uint32_t kOps = 4;

  /// Throws as BlockConfig::check.
  EncoderBlock(const BlockConfig& config, Rng& rng);

  const MultiHeadAttention& attention() const { return attention_; }
  /// How many numbers a block of this configuration learns.
  static double parameters(const BlockConfig& config);

  /// x [T, C] -> out [T, C] (written).
  void forward(Runtime& runtime, const Pass& pass, std::uint32_t op, MatrixView<const float> x,
               const Segments& segs, MatrixView<float> out, Saved& saved) const;
  /// d_out [T, C], x [T, C] -> d_x [T, C] (written), or not where d_x has no columns; adds to the
  /// gradient of every parameter.
  void backward(Runtime& runtime, const Pass& pass, std::uint32_t op, MatrixView<const float> d_out,
                MatrixView<const float> x, const Segments& segs, const Saved& saved,
                MatrixView<float> d_x);

  /// Calls visit(name, parameter) for attention, attention_norm, feed_forward and
  /// feed_forward_norm.
  template <class Visit>
  void for_each_parameter(Visit&& visit) {
    attention_.for_each_parameter(within("attention", visit));
    attention_sublayer_.for_each_parameter(within("attention_norm", visit));
    feed_forward_.for_each_parameter(within("feed_forward", visit));
    feed_forward_sublayer_.for_each_parameter(within("feed_forward_norm", visit));
  }

 private:
  MultiHeadAttention attention_;
  Sublayer attention_sublayer_;
  FeedForward feed_forward_;
  Sublayer feed_forward_sublayer_;
};

}  // namespace padless
