#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "padless/batch/nested.h"
#include "padless/batch/nested_pass.h"
#include "padless/core/export.h"
#include "padless/core/matrix.h"
#include "padless/core/parameter.h"
#include "padless/core/rng.h"
#include "padless/core/runtime.h"
#include "padless/layers/additive_attention_pooling.h"
#include "padless/layers/gru.h"
#include "padless/layers/linear.h"

namespace padless {

/// The numbers that make a HAN.
struct PADLESS_API HanConfig {
  std::size_t vocabulary = 0;           ///< V: ids are below
  std::size_t outputs = 0;              ///< K: classes, or 1 for a number
  std::size_t embedding = 64;           ///< width of a word's vector
  std::size_t word_hidden = 32;         ///< units of the word GRU, each direction
  std::size_t word_attention = 64;      ///< units of the attention over words
  std::size_t sentence_hidden = 32;     ///< units of the sentence GRU, each direction
  std::size_t sentence_attention = 64;  ///< units of the attention over sentences
  float dropout = 0.2f;                 ///< of word vectors and document vectors, in training
  GruReset reset = GruReset::after;

  /// Throws ValueError, naming the field, when a size is 0 or above 2^24 (2^31 for the
  /// vocabulary), the parameters together pass 2^33, or dropout is not in [0, 1).
  void check() const;
  /// How many numbers a model of these sizes learns (a double: sizes of any file are asked).
  double parameters() const;
};

/// Hierarchical attention network: words -> bi-GRU -> additive attention -> sentences -> bi-GRU ->
/// additive attention -> document -> scores. A sentence without words is as if it were not there;
/// a document without words gives the head's bias. Source: Yang et al., "Hierarchical attention
/// networks for document classification" (NAACL 2016).
class PADLESS_API Han {
 public:
  using Config = HanConfig;

  /// What forward leaves for backward and for explaining, in the runtime's arena.
  struct Saved {
    MatrixView<float> embedded, words, sentence_rows, sentences, document;
    BiGru::Saved word_gru, sentence_gru;
    AdditiveAttentionPooling::Saved word_pool;      ///< weights [T]: one a word
    AdditiveAttentionPooling::Saved sentence_pool;  ///< weights: one a kept sentence
  };

  /// Throws as HanConfig::check.
  Han(const HanConfig& config, Rng& rng);

  const HanConfig& config() const { return config_; }

  /// ids [T] of the T words of the pass's D documents -> out [D, K] (written): scores before the
  /// softmax, or the number. Throws ValueError for an id that is no word of the vocabulary,
  /// ShapeError.
  void forward(Runtime& runtime, const NestedPass& pass, std::span<const std::int32_t> ids,
               MatrixView<float> out, Saved& saved) const;
  /// d_out [D, K], the rest as in forward; adds to the gradient of every parameter.
  void backward(Runtime& runtime, const NestedPass& pass, MatrixView<const float> d_out,
                std::span<const std::int32_t> ids, const Saved& saved);

  /// Calls visit(name, parameter) for every parameter, always in the same order.
  template <class Visit>
  void for_each_parameter(Visit&& visit) {
    const auto within = [&visit](const std::string& prefix) {
      return [&visit, prefix](const std::string& name, Parameter& parameter) {
        visit(prefix + "." + name, parameter);
      };
    };
    visit(std::string("embedding.weight"), embedding_);
    word_gru_.for_each_parameter(within("word_gru"));
    word_pool_.for_each_parameter(within("word_attention"));
    sentence_gru_.for_each_parameter(within("sentence_gru"));
    sentence_pool_.for_each_parameter(within("sentence_attention"));
    head_.for_each_parameter(within("head"));
  }

 private:
  HanConfig config_;
  Parameter embedding_;
  BiGru word_gru_;
  AdditiveAttentionPooling word_pool_;
  BiGru sentence_gru_;
  AdditiveAttentionPooling sentence_pool_;
  Linear head_;
};

/// The attention over all sentences of `nested`, of which `saved` comes: 0 for sentences without
/// words.
PADLESS_API std::vector<float> sentence_weights(const Han::Saved& saved,
                                                const NestedSegments& nested);

}  // namespace padless
