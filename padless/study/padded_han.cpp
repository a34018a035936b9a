#include "padless/study/padded_han.h"

#include <utility>
#include <vector>

#include "padless/batch/pass.h"
#include "padless/batch/shards.h"
#include "padless/core/error.h"
#include "padless/ops/dropout.h"
#include "padless/ops/embedding.h"
#include "padless/study/pad_rows.h"

namespace padless::study {
namespace {

// Han's numbers of these draws, so that both drop the same cells.
constexpr std::uint32_t kWordDropout = 0;
constexpr std::uint32_t kDocumentDropout = 1;

/// A level's pass over its padded rows: cut where the level's items are cut.
class PaddedPass {
 public:
  /// `above`: the pass whose rows are the sequences of `padded`.
  PaddedPass(const Pass& above, const Segments& padded) : pass_(above) {
    // The pooling draws nothing, so that rows need not be told to whose document they belong.
    pass_.documents = nullptr;
    pass_.document_numbers = {};
    if (above.shards == nullptr) return;
    shards_ = above.shards->inner(padded);
    pass_.shards = &shards_;
  }
  PaddedPass(const PaddedPass&) = delete;
  PaddedPass& operator=(const PaddedPass&) = delete;

  operator const Pass&() const { return pass_; }

 private:
  Shards shards_;
  Pass pass_;
};

}  // namespace

PaddedHan::PaddedHan(const HanConfig& config, Rng&& any)
    : config_(config),
      embedding_(config.vocabulary, config.embedding),
      word_gru_(config.embedding, config.word_hidden, config.reset, any),
      word_pool_(2 * config.word_hidden, config.word_attention, any),
      sentence_gru_(2 * config.word_hidden, config.sentence_hidden, config.reset, any),
      sentence_pool_(2 * config.sentence_hidden, config.sentence_attention, any),
      head_(2 * config.sentence_hidden, config.outputs, any) {}

PaddedHan::PaddedHan(Han& start) : PaddedHan(start.config(), Rng(0)) {
  std::vector<const Parameter*> values;
  start.for_each_parameter([&values](const std::string&, Parameter& p) { values.push_back(&p); });
  std::size_t next = 0;
  for_each_parameter([&](const std::string&, Parameter& parameter) {
    parameter.value = values[next++]->value;
    ++parameter.version;
  });
}

void PaddedHan::forward(Runtime& runtime, const NestedPass& pass, std::span<const std::int32_t> ids,
                        MatrixView<float> out, Saved& saved) const {
  const Segments& sentences = pass.kept().sentences();
  const Segments& documents = pass.kept().documents();
  require_shape(ids.size() == sentences.total(), "PaddedHan: there are ", ids.size(),
                " ids, expected ", sentences.total(), " (the number of words)");
  require_shape(out.rows() == documents.count() && out.cols() == config_.outputs,
                "PaddedHan: out is [", out.rows(), ", ", out.cols(), "], expected [",
                documents.count(), ", ", config_.outputs, "]");
  Arena& arena = runtime.arena();
  saved.padded_sentences = padded_to_longest(sentences);
  saved.padded_documents = padded_to_longest(documents);

  saved.embedded = arena.matrix(ids.size(), config_.embedding);
  embedding_forward(runtime, pass.words(), embedding_.value.view(), ids, saved.embedded);
  dropout_forward(runtime, pass.words(), config_.dropout, kWordDropout, saved.embedded,
                  saved.embedded);
  saved.words = arena.matrix(ids.size(), 2 * config_.word_hidden);
  word_gru_.forward(runtime, pass.words(), saved.embedded, sentences, saved.words, saved.word_gru);
  saved.padded_words = arena.matrix(saved.padded_sentences.total(), 2 * config_.word_hidden);
  pad_rows(runtime, saved.words, sentences, saved.padded_sentences, saved.padded_words);

  saved.sentence_rows = arena.matrix(sentences.count(), 2 * config_.word_hidden);
  word_pool_.forward(runtime, PaddedPass(pass.sentences(), saved.padded_sentences),
                     saved.padded_words, saved.padded_sentences, saved.sentence_rows,
                     saved.word_pool);
  saved.sentences = arena.matrix(sentences.count(), 2 * config_.sentence_hidden);
  sentence_gru_.forward(runtime, pass.sentences(), saved.sentence_rows, documents, saved.sentences,
                        saved.sentence_gru);
  saved.padded_sentence_rows =
      arena.matrix(saved.padded_documents.total(), 2 * config_.sentence_hidden);
  pad_rows(runtime, saved.sentences, documents, saved.padded_documents, saved.padded_sentence_rows);

  saved.document = arena.matrix(documents.count(), 2 * config_.sentence_hidden);
  sentence_pool_.forward(runtime, PaddedPass(pass.documents(), saved.padded_documents),
                         saved.padded_sentence_rows, saved.padded_documents, saved.document,
                         saved.sentence_pool);
  dropout_forward(runtime, pass.documents(), config_.dropout, kDocumentDropout, saved.document,
                  saved.document);
  head_.forward(runtime, pass.documents(), saved.document, out);
}

void PaddedHan::backward(Runtime& runtime, const NestedPass& pass, MatrixView<const float> d_out,
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
  const MatrixView<float> d_padded_sentences = like(saved.padded_sentence_rows);
  sentence_pool_.backward(runtime, PaddedPass(pass.documents(), saved.padded_documents), d_document,
                          saved.padded_sentence_rows, saved.padded_documents, saved.sentence_pool,
                          d_padded_sentences);
  const MatrixView<float> d_sentences = like(saved.sentences);
  unpad_rows(runtime, d_padded_sentences, documents, saved.padded_documents, d_sentences);

  const MatrixView<float> d_sentence_rows = like(saved.sentence_rows);
  sentence_gru_.backward(runtime, pass.sentences(), d_sentences, saved.sentence_rows, documents,
                         saved.sentences, saved.sentence_gru, d_sentence_rows);
  const MatrixView<float> d_padded_words = like(saved.padded_words);
  word_pool_.backward(runtime, PaddedPass(pass.sentences(), saved.padded_sentences),
                      d_sentence_rows, saved.padded_words, saved.padded_sentences, saved.word_pool,
                      d_padded_words);
  const MatrixView<float> d_words = like(saved.words);
  unpad_rows(runtime, d_padded_words, sentences, saved.padded_sentences, d_words);

  const MatrixView<float> d_embedded = like(saved.embedded);
  word_gru_.backward(runtime, pass.words(), d_words, saved.embedded, sentences, saved.words,
                     saved.word_gru, d_embedded);
  dropout_backward(runtime, pass.words(), config_.dropout, kWordDropout, d_embedded, d_embedded);
  embedding_backward(runtime, pass.words(), ids, d_embedded, embedding_.gradient.view());
}

}  // namespace padless::study
