#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "padless/batch/nested_pass.h"
#include "padless/core/matrix.h"
#include "padless/core/parameter.h"
#include "padless/core/rng.h"
#include "padless/core/runtime.h"
#include "padless/layers/additive_attention_pooling.h"
#include "padless/layers/gru.h"
#include "padless/layers/linear.h"
#include "padless/models/han.h"

namespace padless::study {

/// The HAN as it is when nobody masks: each sentence is padded to the longest of the batch and each
/// document to the most sentences; the GRUs stop at the real lengths, so that their outputs are
/// zero rows at PAD, and these rows join the softmax of the attention like any other. Everything
/// else, and the order of every sum, is Han's: without padding both give the same bits.
class PaddedHan {
 public:
  using Config = HanConfig;

  /// What forward leaves for backward and for looking at, in the runtime's arena.
  struct Saved {
    Segments padded_sentences;  ///< the sentences, each as long as the longest
    Segments padded_documents;  ///< the documents' sentences likewise
    MatrixView<float> embedded, words, padded_words, sentence_rows, sentences, padded_sentence_rows,
        document;
    BiGru::Saved word_gru, sentence_gru;
    AdditiveAttentionPooling::Saved word_pool;      ///< weights: one a row of padded_words
    AdditiveAttentionPooling::Saved sentence_pool;  ///< weights: one a row of padded_sentence_rows
  };

  /// With the values of `start`, a HAN's.
  explicit PaddedHan(Han& start);

  const HanConfig& config() const { return config_; }

  /// As Han::forward.
  void forward(Runtime& runtime, const NestedPass& pass, std::span<const std::int32_t> ids,
               MatrixView<float> out, Saved& saved) const;
  /// As Han::backward.
  void backward(Runtime& runtime, const NestedPass& pass, MatrixView<const float> d_out,
                std::span<const std::int32_t> ids, const Saved& saved);

  /// As Han::for_each_parameter: the same names in the same order.
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
  PaddedHan(const HanConfig& config, Rng&& any);

  HanConfig config_;
  Parameter embedding_;
  BiGru word_gru_;
  AdditiveAttentionPooling word_pool_;
  BiGru sentence_gru_;
  AdditiveAttentionPooling sentence_pool_;
  Linear head_;
};

}  // namespace padless::study
