#include "padless/study/padded_han.h"

#include <utility>
#include <vector>

#include "padless/batch/pass.h"
#include "padless/batch/shards.h"
#include "padless/study/pad_rows.h"

namespace padless::study {
namespace {

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
  saved.padded_sentences = padded_to_longest(sentences);
  saved.padded_documents = padded_to_longest(documents);
  layers_.begin("PaddedHan", runtime, pass, ids, out, saved);

  layers_.read_words(runtime, pass, ids, saved);
  saved.padded_words = runtime.arena().matrix(saved.padded_sentences.total(), saved.words.cols());
  pad_rows(runtime, saved.words, sentences, saved.padded_sentences, saved.padded_words);
  layers_.word_pool().forward(runtime, PaddedPass(pass.sentences(), saved.padded_sentences),
                              saved.padded_words, saved.padded_sentences, saved.sentence_rows,
                              saved.word_pool);

  layers_.read_sentences(runtime, pass, saved);
  saved.padded_sentence_rows =
      runtime.arena().matrix(saved.padded_documents.total(), saved.sentences.cols());
  pad_rows(runtime, saved.sentences, documents, saved.padded_documents, saved.padded_sentence_rows);
  layers_.sentence_pool().forward(runtime, PaddedPass(pass.documents(), saved.padded_documents),
                                  saved.padded_sentence_rows, saved.padded_documents,
                                  saved.document, saved.sentence_pool);
  layers_.score(runtime, pass, saved, out);
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
  layers_.score_backward(runtime, pass, d_out, saved, d_document);
  const MatrixView<float> d_padded_sentences = like(saved.padded_sentence_rows);
  layers_.sentence_pool().backward(runtime, PaddedPass(pass.documents(), saved.padded_documents),
                                   d_document, saved.padded_sentence_rows, saved.padded_documents,
                                   saved.sentence_pool, d_padded_sentences);
  const MatrixView<float> d_sentences = like(saved.sentences);
  unpad_rows(runtime, d_padded_sentences, documents, saved.padded_documents, d_sentences);

  const MatrixView<float> d_sentence_rows = like(saved.sentence_rows);
  layers_.read_sentences_backward(runtime, pass, d_sentences, saved, d_sentence_rows);
  const MatrixView<float> d_padded_words = like(saved.padded_words);
  layers_.word_pool().backward(runtime, PaddedPass(pass.sentences(), saved.padded_sentences),
                               d_sentence_rows, saved.padded_words, saved.padded_sentences,
                               saved.word_pool, d_padded_words);
  const MatrixView<float> d_words = like(saved.words);
  unpad_rows(runtime, d_padded_words, sentences, saved.padded_sentences, d_words);
  layers_.read_words_backward(runtime, pass, d_words, ids, saved);
}

}  // namespace padless::study
