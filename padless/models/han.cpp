#include "padless/models/han.h"

#include <algorithm>
#include <limits>

#include "padless/core/error.h"
#include "padless/ops/dropout.h"
#include "padless/ops/embedding.h"

namespace padless {
namespace {

// Numbers of the ops that draw: part of every draw's key.
constexpr std::uint32_t kWordDropout = 0;
constexpr std::uint32_t kDocumentDropout = 1;

HanConfig checked(const HanConfig& config) {
  config.check();
  return config;
}

// Small first word vectors: what a rare word has not learnt stays quiet.
constexpr double kEmbeddingDeviation = 0.1;

}  // namespace

void HanConfig::check() const {
  constexpr std::size_t kMostUnits = std::size_t{1} << 24;
  constexpr std::size_t kMostWords = std::size_t{1} << 31;
  constexpr double kMostParameters = 8589934592.0;  // 2^33
  const auto size = [](const char* name, std::size_t value, std::size_t most) {
    require_value(value >= 1 && value <= most, "HAN: ", name, " is ", value, ", expected 1 to ",
                  most);
  };
  size("vocabulary", vocabulary, kMostWords);
  size("outputs", outputs, kMostUnits);
  size("embedding", embedding, kMostUnits);
  size("word_hidden", word_hidden, kMostUnits);
  size("word_attention", word_attention, kMostUnits);
  size("sentence_hidden", sentence_hidden, kMostUnits);
  size("sentence_attention", sentence_attention, kMostUnits);
  require_value(dropout >= 0 && dropout < 1, "HAN: dropout is ", dropout,
                ", expected at least 0 and less than 1");
  require_value(parameters() <= kMostParameters, "HAN: these sizes make ", parameters(),
                " parameters, expected at most ", kMostParameters);
}

double HanConfig::parameters() const {
  const auto wide = [](std::size_t value) { return static_cast<double>(value); };
  const auto gru = [&](std::size_t in, std::size_t hidden) {
    return 6 * wide(hidden) * (wide(in) + wide(hidden) + 2);
  };
  const auto attention = [&](std::size_t in, std::size_t units) {
    return wide(units) * (wide(in) + 2);
  };
  return wide(vocabulary) * wide(embedding) + gru(embedding, word_hidden) +
         attention(2 * word_hidden, word_attention) + gru(2 * word_hidden, sentence_hidden) +
         attention(2 * sentence_hidden, sentence_attention) +
         wide(outputs) * (2 * wide(sentence_hidden) + 1);
}

Han::Han(const HanConfig& config, Rng& rng)
    : config_(checked(config)),
      embedding_(rng.normal(config.vocabulary, config.embedding, kEmbeddingDeviation)),
      word_gru_(config.embedding, config.word_hidden, config.reset, rng),
      word_pool_(2 * config.word_hidden, config.word_attention, rng),
      sentence_gru_(2 * config.word_hidden, config.sentence_hidden, config.reset, rng),
      sentence_pool_(2 * config.sentence_hidden, config.sentence_attention, rng),
      head_(2 * config.sentence_hidden, config.outputs, rng) {}

void Han::forward(Runtime& runtime, const NestedPass& pass, std::span<const std::int32_t> ids,
                  MatrixView<float> out, Saved& saved) const {
  const Segments& sentences = pass.kept().sentences();
  const Segments& documents = pass.kept().documents();
  require_shape(ids.size() == sentences.total(), "Han: there are ", ids.size(), " ids, expected ",
                sentences.total(), " (the number of words)");
  require_shape(out.rows() == documents.count() && out.cols() == config_.outputs, "Han: out is [",
                out.rows(), ", ", out.cols(), "], expected [", documents.count(), ", ",
                config_.outputs, "]");
  Arena& arena = runtime.arena();

  saved.embedded = arena.matrix(ids.size(), config_.embedding);
  embedding_forward(runtime, pass.words(), embedding_.value.view(), ids, saved.embedded);
  dropout_forward(runtime, pass.words(), config_.dropout, kWordDropout, saved.embedded,
                  saved.embedded);
  saved.words = arena.matrix(ids.size(), 2 * config_.word_hidden);
  word_gru_.forward(runtime, pass.words(), saved.embedded, sentences, saved.words, saved.word_gru);

  saved.sentence_rows = arena.matrix(sentences.count(), 2 * config_.word_hidden);
  word_pool_.forward(runtime, pass.words(), saved.words, sentences, saved.sentence_rows,
                     saved.word_pool);
  saved.sentences = arena.matrix(sentences.count(), 2 * config_.sentence_hidden);
  sentence_gru_.forward(runtime, pass.sentences(), saved.sentence_rows, documents, saved.sentences,
                        saved.sentence_gru);

  saved.document = arena.matrix(documents.count(), 2 * config_.sentence_hidden);
  sentence_pool_.forward(runtime, pass.sentences(), saved.sentences, documents, saved.document,
                         saved.sentence_pool);
  dropout_forward(runtime, pass.documents(), config_.dropout, kDocumentDropout, saved.document,
                  saved.document);
  head_.forward(runtime, pass.documents(), saved.document, out);
}

void Han::backward(Runtime& runtime, const NestedPass& pass, MatrixView<const float> d_out,
                   std::span<const std::int32_t> ids, const Saved& saved) {
  const Segments& sentences = pass.kept().sentences();
  const Segments& documents = pass.kept().documents();
  const Arena::Scope scope(runtime.arena());
  const auto like = [&runtime](MatrixView<const float> m) {
    return runtime.arena().matrix(m.rows(), m.cols());
  };

  const MatrixView<float> d_document = like(saved.document);
  head_.backward(runtime, pass.documents(), d_out, saved.document, d_document);
  dropout_backward(runtime, pass.documents(), config_.dropout, kDocumentDropout, d_document,
                   d_document);
  const MatrixView<float> d_sentences = like(saved.sentences);
  sentence_pool_.backward(runtime, pass.sentences(), d_document, saved.sentences, documents,
                          saved.sentence_pool, d_sentences);

  const MatrixView<float> d_sentence_rows = like(saved.sentence_rows);
  sentence_gru_.backward(runtime, pass.sentences(), d_sentences, saved.sentence_rows, documents,
                         saved.sentences, saved.sentence_gru, d_sentence_rows);
  const MatrixView<float> d_words = like(saved.words);
  word_pool_.backward(runtime, pass.words(), d_sentence_rows, saved.words, sentences,
                      saved.word_pool, d_words);

  const MatrixView<float> d_embedded = like(saved.embedded);
  word_gru_.backward(runtime, pass.words(), d_words, saved.embedded, sentences, saved.words,
                     saved.word_gru, d_embedded);
  dropout_backward(runtime, pass.words(), config_.dropout, kWordDropout, d_embedded, d_embedded);
  embedding_backward(runtime, pass.words(), ids, d_embedded, embedding_.gradient.view());
}

std::vector<float> sentence_weights(const Han::Saved& saved, const NestedSegments& nested) {
  std::vector<float> weights(nested.sentences().count(), 0.0f);
  std::size_t kept = 0;
  for (std::size_t s = 0; s < weights.size(); ++s) {
    if (nested.sentences().length(s) > 0) weights[s] = saved.sentence_pool.weights[kept++];
  }
  return weights;
}

}  // namespace padless
