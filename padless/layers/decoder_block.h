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
#include "padless/layers/key_value_cache.h"
#include "padless/layers/multi_head_attention.h"
#include "padless/layers/sublayer.h"

namespace padless {

/// A block of a Transformer decoder: self-attention in which no row sees those behind it, attention
/// to the sources, then a feed-forward, each a residual sublayer with a norm. Source: Vaswani et
/// al., "Attention is all you need" (NeurIPS 2017), section 3.1.
class PADLESS_API DecoderBlock {
 public:
  /// What forward leaves for backward, in the runtime's arena.
  struct Saved {
    Sublayer::Saved self_sublayer, cross_sublayer, feed_forward_sublayer;
    MultiHeadAttention::Saved self, cross;
    FeedForward::Saved feed_forward;
    MatrixView<float> after_self, after_cross;  ///< [T, C]
  };

  /// Numbers of draws that a block takes: op to op + kOps - 1.
  static constexpr std::uint32_t kOps = 6;

  /// Throws as BlockConfig::check.
  DecoderBlock(const BlockConfig& config, Rng& rng);

  const MultiHeadAttention& self_attention() const { return self_; }
  const MultiHeadAttention& cross_attention() const { return cross_; }
  /// How many numbers a block of this configuration learns.
  static double parameters(const BlockConfig& config);

  /// x [T, C] and sources [Ts, C] -> out [T, C] (written). Throws ShapeError when a shape or the
  /// number of sequences differs, ValueError for a sequence that is longer than the rotary table.
  void forward(Runtime& runtime, const Pass& pass, std::uint32_t op, MatrixView<const float> x,
               const Segments& segs, const AttentionSources& sources, MatrixView<float> out,
               Saved& saved) const;
  /// d_out [T, C] -> d_x [T, C], or not where that has no columns, and d_sources [Ts, C] (written);
  /// adds to the gradient of every parameter.
  void backward(Runtime& runtime, const Pass& pass, std::uint32_t op, MatrixView<const float> d_out,
                MatrixView<const float> x, const Segments& segs, const AttentionSources& sources,
                const Saved& saved, MatrixView<float> d_x, MatrixView<float> d_sources);

  /// Inference piece by piece: x [T, C], the next rows of each sequence, whose earlier ones `cache`
  /// holds, and the sources' keys and values as cross_attention().project left them -> out [T, C]
  /// (written). The bits are those of forward.
  ///
  /// Throws ShapeError when a shape or the number of sequences differs, ValueError for a sequence
  /// that is longer than the rotary table; the cache is then as before.
  void extend(Runtime& runtime, const Pass& pass, MatrixView<const float> x, const Segments& segs,
              KeyValueCache& cache, std::span<const MatrixView<const float>> source_keys,
              std::span<const MatrixView<const float>> source_values, MatrixView<float> out) const;

  /// Calls visit(name, parameter) for self_attention, self_attention_norm, cross_attention,
  /// cross_attention_norm, feed_forward and feed_forward_norm.
  template <class Visit>
  void for_each_parameter(Visit&& visit) {
    self_.for_each_parameter(within("self_attention", visit));
    self_sublayer_.for_each_parameter(within("self_attention_norm", visit));
    cross_.for_each_parameter(within("cross_attention", visit));
    cross_sublayer_.for_each_parameter(within("cross_attention_norm", visit));
    feed_forward_.for_each_parameter(within("feed_forward", visit));
    feed_forward_sublayer_.for_each_parameter(within("feed_forward_norm", visit));
  }

 private:
  MultiHeadAttention self_;
  Sublayer self_sublayer_;
  MultiHeadAttention cross_;
  Sublayer cross_sublayer_;
  FeedForward feed_forward_;
  Sublayer feed_forward_sublayer_;
};

}  // namespace padless
