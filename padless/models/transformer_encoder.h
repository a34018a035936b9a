#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "padless/batch/nested_pass.h"
#include "padless/batch/pass.h"
#include "padless/batch/segments.h"
#include "padless/core/activation.h"
#include "padless/core/export.h"
#include "padless/core/matrix.h"
#include "padless/core/parameter.h"
#include "padless/core/rng.h"
#include "padless/core/runtime.h"
#include "padless/layers/additive_attention_pooling.h"
#include "padless/layers/linear.h"
#include "padless/models/encoder_stack.h"

namespace padless {

/// How the rows of a text's words become what the head reads.
enum class EncoderPooling {
  mean,
  max,
  first,               ///< the row of the first word
  additive_attention,  ///< a learnt weight for each word, as in a HAN
  per_token,           ///< they do not: the head reads each row
};

/// The numbers that make a Transformer encoder.
struct PADLESS_API TransformerEncoderConfig {
  std::size_t vocabulary = 0;      ///< V: ids are below
  std::size_t outputs = 0;         ///< K: classes, labels, or 1 for a number
  std::size_t width = 64;          ///< C
  std::size_t layers = 2;          ///< L
  std::size_t heads = 4;           ///< H, a divisor of width
  std::size_t key_heads = 0;       ///< heads of keys and values, a divisor of heads; 0: heads
  std::size_t head_width = 0;      ///< D; 0: width / heads
  std::size_t feed_forward = 256;  ///< F
  Activation activation = Activation::gelu;
  bool gated = false;  ///< GeGLU, SwiGLU
  NormKind norm = NormKind::layer;
  NormPlace norm_place = NormPlace::pre;
  Positions positions = Positions::learned;
  std::size_t max_length = 512;  ///< words of a text, at most
  EncoderPooling pooling = EncoderPooling::mean;
  std::size_t pooling_attention = 64;  ///< units of the additive attention
  float dropout = 0.1f;
  bool share_layers = false;      ///< all layers have the weights of one
  std::size_t frozen_blocks = 0;  ///< the lowest layers, and the embeddings, keep their weights
  bool frozen_embeddings = false;
  bool recompute = false;  ///< backward makes anew what is inside a layer: less memory, same bits

  /// Throws ValueError, naming the field, for sizes of 0 or beyond 2^24 (2^31 for the vocabulary),
  /// heads that do not divide, parameters beyond 2^33, or dropout outside [0, kMostDropout].
  void check() const;
  /// How many numbers a model of these sizes learns (a double: sizes of any file are asked).
  double parameters() const;
  /// What it says of the blocks.
  EncoderStackConfig stack() const;
};

/// Transformer encoder with a head: words -> embedding -> L blocks of self-attention -> pooling ->
/// scores. A text is one sequence, whatever its sentences; one without words gives the head's bias.
/// Sources: Vaswani et al., "Attention is all you need" (NeurIPS 2017); Devlin et al., "BERT"
/// (NAACL 2019), for an encoder with a head.
class PADLESS_API TransformerEncoder {
 public:
  using Config = TransformerEncoderConfig;

  /// What forward leaves for backward and, with stack.keep set before, for attention_weights and
  /// word_weights, in the runtime's arena.
  struct Saved {
    EncoderStack::Saved stack;
    MatrixView<float> rows;    ///< [T, C]: what is pooled
    MatrixView<float> pooled;  ///< [D, C]: what the head reads; [T, C] per token
    AdditiveAttentionPooling::Saved pool;
  };

  /// Throws as TransformerEncoderConfig::check.
  TransformerEncoder(const TransformerEncoderConfig& config, Rng& rng);

  const TransformerEncoderConfig& config() const { return config_; }

  /// ids [T] of the T words of the pass's D documents -> out [D, K], or [T, K] per token (written):
  /// scores before the softmax or the sigmoid, or the number. Throws ValueError for an id that is
  /// no word of the vocabulary and for a text of more than max_length words, ShapeError.
  void forward(Runtime& runtime, const NestedPass& pass, std::span<const std::int32_t> ids,
               MatrixView<float> out, Saved& saved) const;
  /// d_out as out, the rest as in forward; adds to the gradient of every parameter that is not
  /// frozen.
  void backward(Runtime& runtime, const NestedPass& pass, MatrixView<const float> d_out,
                std::span<const std::int32_t> ids, const Saved& saved);

  /// ids [T] of the sequences `segs` -> rows [T, C] (written): what stands before the pooling.
  /// Throws as forward.
  void encode(Runtime& runtime, const Pass& pass, const Segments& segs,
              std::span<const std::int32_t> ids, MatrixView<float> rows,
              EncoderStack::Saved& saved) const;
  /// d_rows [T, C], the rest as in encode; adds to the gradients of embedding and blocks.
  void encode_backward(Runtime& runtime, const Pass& pass, MatrixView<const float> d_rows,
                       const Segments& segs, std::span<const std::int32_t> ids,
                       const EncoderStack::Saved& saved);

  /// The weights of layer `layer`'s attention, as ops/attention.h orders them: text after text
  /// [H, N, N]. Making them changes nothing. Throws ValueError for a layer that is not there or of
  /// which forward kept nothing.
  void attention_weights(Runtime& runtime, const Pass& pass, const Segments& segs,
                         std::size_t layer, const EncoderStack::Saved& saved,
                         std::span<float> weights) const;

  /// weights [T] (written), which add up to 1 in each text: how much the result looked at each
  /// word. With additive attention the pooling's own weights; else the attention that a word
  /// receives in the last layer, averaged over heads and over the words that attend. The latter
  /// tells where the last layer looked, not how much a word counted. Throws ValueError where
  /// forward kept nothing.
  void word_weights(Runtime& runtime, const NestedPass& pass, const Saved& saved,
                    std::span<float> weights) const;

  /// Calls visit(name, parameter) for every parameter, always in the same order.
  template <class Visit>
  void for_each_parameter(Visit&& visit) {
    stack_.for_each_parameter(visit);
    visit_head(visit);
  }
  /// The same without the frozen ones: what an optimiser may move.
  template <class Visit>
  void for_each_trained_parameter(Visit&& visit) {
    stack_.for_each_trained_parameter(visit);
    visit_head(visit);
  }

 private:
  template <class Visit>
  void visit_head(Visit& visit) {
    if (pool_) pool_->for_each_parameter(within("pooling", visit));
    head_.for_each_parameter(within("head", visit));
  }

  /// The pass that the head sees: of documents, or of words per token.
  const Pass& head_pass(const NestedPass& pass) const {
    return config_.pooling == EncoderPooling::per_token ? pass.words() : pass.documents();
  }

  TransformerEncoderConfig config_;
  EncoderStack stack_;
  std::optional<AdditiveAttentionPooling> pool_;
  Linear head_;
};

}  // namespace padless
