#include "padless/models/han_layers.h"

#include "padless/core/error.h"
#include "padless/layers/checks.h"
#include "padless/ops/dropout.h"
#include "padless/ops/embedding.h"

namespace padless {
namespace {

// Numbers of the ops that draw: part of every draw's key.
constexpr std::uint32_t kWordDropout = 0;
constexpr std::uint32_t kDocumentDropout = 1;

// Small first word vectors: what a rare word has not learnt stays quiet.
constexpr double kEmbeddingDeviation = 0.1;

}  // namespace

HanLayers::HanLayers(const HanConfig& config, Rng& rng)
    : config_(checked(config)),
      embedding_(rng.normal(config.vocabulary, config.embedding, kEmbeddingDeviation)),
      word_gru_(config.embedding, config.word_hidden, config.reset, rng),
      word_pool_(2 * config.word_hidden, config.word_attention, rng),
      sentence_gru_(2 * config.word_hidden, config.sentence_hidden, config.reset, rng),
      sentence_pool_(2 * config.sentence_hidden, config.sentence_attention, rng),
      head_(2 * config.sentence_hidden, config.outputs, rng) {}

void HanLayers::begin(std::string_view model, Runtime& runtime, const NestedPass& pass,
                      std::span<const std::int32_t> ids, MatrixView<const float> out,
                      Saved& saved) const {
  const Segments& sentences = pass.kept().sentences();
  const Segments& documents = pass.kept().documents();
  require_shape(ids.size() == sentences.total(), model, ": there are ", ids.size(),
                " ids, expected ", sentences.total(), " (the number of words)");
  require_shape(out.rows() == documents.count() && out.cols() == config_.outputs, model,
                ": out is [", out.rows(), ", ", out.cols(), "], expected [", documents.count(),
                ", ", config_.outputs, "]");
  Arena& arena = runtime.arena();
  saved.embedded = arena.matrix(ids.size(), config_.embedding);
  saved.words = arena.matrix(ids.size(), 2 * config_.word_hidden);
  saved.sentence_rows = arena.matrix(sentences.count(), 2 * config_.word_hidden);
  saved.sentences = arena.matrix(sentences.count(), 2 * config_.sentence_hidden);
  saved.document = arena.matrix(documents.count(), 2 * config_.sentence_hidden);
}

void HanLayers::read_words(Runtime& runtime, const NestedPass& pass,
                           std::span<const std::int32_t> ids, Saved& saved) const {
  embedding_forward(runtime, pass.words(), embedding_.value.view(), ids, saved.embedded);
  dropout_forward(runtime, pass.words(), config_.dropout, kWordDropout, saved.embedded,
                  saved.embedded);
  word_gru_.forward(runtime, pass.words(), saved.embedded, pass.kept().sentences(), saved.words,
                    saved.word_gru);
}

void HanLayers::read_sentences(Runtime& runtime, const NestedPass& pass, Saved& saved) const {
  sentence_gru_.forward(runtime, pass.sentences(), saved.sentence_rows, pass.kept().documents(),
                        saved.sentences, saved.sentence_gru);
}

void HanLayers::score(Runtime& runtime, const NestedPass& pass, Saved& saved,
                      MatrixView<float> out) const {
  dropout_forward(runtime, pass.documents(), config_.dropout, kDocumentDropout, saved.document,
                  saved.document);
  head_.forward(runtime, pass.documents(), saved.document, out);
}

void HanLayers::score_backward(Runtime& runtime, const NestedPass& pass,
                               MatrixView<const float> d_out, const Saved& saved,
                               MatrixView<float> d_document) {
  head_.backward(runtime, pass.documents(), d_out, saved.document, d_document);
  dropout_backward(runtime, pass.documents(), config_.dropout, kDocumentDropout, d_document,
                   d_document);
}

void HanLayers::read_sentences_backward(Runtime& runtime, const NestedPass& pass,
                                        MatrixView<const float> d_sentences, const Saved& saved,
                                        MatrixView<float> d_sentence_rows) {
  sentence_gru_.backward(runtime, pass.sentences(), d_sentences, saved.sentence_rows,
                         pass.kept().documents(), saved.sentences, saved.sentence_gru,
                         d_sentence_rows);
}

void HanLayers::read_words_backward(Runtime& runtime, const NestedPass& pass,
                                    MatrixView<const float> d_words,
                                    std::span<const std::int32_t> ids, const Saved& saved) {
  const MatrixView<float> d_embedded =
      runtime.arena().matrix(saved.embedded.rows(), saved.embedded.cols());
  word_gru_.backward(runtime, pass.words(), d_words, saved.embedded, pass.kept().sentences(),
                     saved.words, saved.word_gru, d_embedded);
  dropout_backward(runtime, pass.words(), config_.dropout, kWordDropout, d_embedded, d_embedded);
  embedding_backward(runtime, pass.words(), ids, d_embedded, embedding_.gradient.view());
}

}  // namespace padless
