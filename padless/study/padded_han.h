#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "padless/batch/segments.h"
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
  struct Saved : HanLayers::Saved {
    Segments padded_sentences;  ///< the sentences, each as long as the longest
    Segments padded_documents;  ///< the documents' sentences likewise
    MatrixView<float> padded_words, padded_sentence_rows;
    AdditiveAttentionPooling::Saved word_pool;      ///< weights: one a row of padded_words
    AdditiveAttentionPooling::Saved sentence_pool;  ///< weights: one a row of padded_sentence_rows
  };

  /// With the values of `start`, a HAN's.
  explicit PaddedHan(Han& start);

  const HanConfig& config() const { return layers_.config(); }

  /// As Han::forward.
  void forward(Runtime& runtime, const NestedPass& pass, std::span<const std::int32_t> ids,
               MatrixView<float> out, Saved& saved) const;
  /// As Han::backward.
  void backward(Runtime& runtime, const NestedPass& pass, MatrixView<const float> d_out,
                std::span<const std::int32_t> ids, const Saved& saved);

  /// As Han::for_each_parameter: the same names in the same order.
  template <class Visit>
  void for_each_parameter(Visit&& visit) {
    layers_.for_each_parameter(std::forward<Visit>(visit));
  }

 private:
  PaddedHan(const HanConfig& config, Rng&& any) : layers_(config, any) {}

  HanLayers layers_;
};

}  // namespace padless::study
