// What a HAN learns, and the parts of its way that are the same however a level's rows are pooled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "padless/batch/nested_pass.h"
#include "padless/core/export.h"
#include "padless/core/matrix.h"
#include "padless/core/parameter.h"
#include "padless/core/rng.h"
#include "padless/core/runtime.h"
#include "padless/layers/additive_attention_pooling.h"
#include "padless/layers/gru.h"
#include "padless/layers/linear.h"
#include "padless/models/han_config.h"

namespace padless {

/// The layers of a HAN. Between read_words and read_sentences the words of each sentence are to be
/// pooled into saved.sentence_rows, between read_sentences and score the sentences of each document
/// into saved.document: by word_pool and sentence_pool, which is the caller's.
class PADLESS_API HanLayers {
 public:
  /// What the parts leave for each other and for backward, in the runtime's arena. Sizes: T words
  /// of S kept sentences of D documents.
  struct Saved {
    MatrixView<float> embedded;       ///< [T, embedding]
    MatrixView<float> words;          ///< [T, 2 word_hidden]
    MatrixView<float> sentence_rows;  ///< [S, 2 word_hidden]
    MatrixView<float> sentences;      ///< [S, 2 sentence_hidden]
    MatrixView<float> document;       ///< [D, 2 sentence_hidden]
    BiGru::Saved word_gru, sentence_gru;
  };

  /// Throws as HanConfig::check.
  HanLayers(const HanConfig& config, Rng& rng);

  const HanConfig& config() const { return config_; }

  /// Throws ShapeError, where `model` names who was called, unless there is an id for each word and
  /// out is [D, K]. Makes room for what the pooling writes.
  void begin(std::string_view model, Runtime& runtime, const NestedPass& pass,
             std::span<const std::int32_t> ids, MatrixView<const float> out, Saved& saved) const;
  /// ids [T] -> saved.embedded, saved.words.
  void read_words(Runtime& runtime, const NestedPass& pass, std::span<const std::int32_t> ids,
                  Saved& saved) const;
  /// saved.sentence_rows -> saved.sentences.
  void read_sentences(Runtime& runtime, const NestedPass& pass, Saved& saved) const;
  /// saved.document, of which dropout leaves a part in training, -> out [D, K] (written).
  void score(Runtime& runtime, const NestedPass& pass, Saved& saved, MatrixView<float> out) const;

  /// d_out -> d_document [D, 2 sentence_hidden] (written).
  void score_backward(Runtime& runtime, const NestedPass& pass, MatrixView<const float> d_out,
                      const Saved& saved, MatrixView<float> d_document);
  /// d_sentences -> d_sentence_rows [S, 2 word_hidden] (written).
  void read_sentences_backward(Runtime& runtime, const NestedPass& pass,
                               MatrixView<const float> d_sentences, const Saved& saved,
                               MatrixView<float> d_sentence_rows);
  /// d_words [T, 2 word_hidden]: the end of the way back.
  void read_words_backward(Runtime& runtime, const NestedPass& pass,
                           MatrixView<const float> d_words, std::span<const std::int32_t> ids,
                           const Saved& saved);

  const AdditiveAttentionPooling& word_pool() const { return word_pool_; }
  const AdditiveAttentionPooling& sentence_pool() const { return sentence_pool_; }
  AdditiveAttentionPooling& word_pool() { return word_pool_; }
  AdditiveAttentionPooling& sentence_pool() { return sentence_pool_; }

  /// Calls visit(name, parameter) for every parameter, always in the same order.
  template <class Visit>
  void for_each_parameter(Visit&& visit) {
    visit(std::string("embedding.weight"), embedding_);
    word_gru_.for_each_parameter(within("word_gru", visit));
    word_pool_.for_each_parameter(within("word_attention", visit));
    sentence_gru_.for_each_parameter(within("sentence_gru", visit));
    sentence_pool_.for_each_parameter(within("sentence_attention", visit));
    head_.for_each_parameter(within("head", visit));
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

}  // namespace padless
