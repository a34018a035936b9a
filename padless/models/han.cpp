#include "padless/models/han.h"

namespace padless {

void Han::forward(Runtime& runtime, const NestedPass& pass, std::span<const std::int32_t> ids,
                  MatrixView<float> out, Saved& saved) const {
  layers_.begin("Han", runtime, pass, ids, out, saved);
  layers_.read_words(runtime, pass, ids, saved);
  layers_.word_pool().forward(runtime, pass.words(), saved.words, pass.kept().sentences(),
                              saved.sentence_rows, saved.word_pool);
  layers_.read_sentences(runtime, pass, saved);
  layers_.sentence_pool().forward(runtime, pass.sentences(), saved.sentences,
                                  pass.kept().documents(), saved.document, saved.sentence_pool);
  layers_.score(runtime, pass, saved, out);
}

void Han::backward(Runtime& runtime, const NestedPass& pass, MatrixView<const float> d_out,
                   std::span<const std::int32_t> ids, const Saved& saved) {
  const Arena::Scope scope(runtime.arena());
  const auto like = [&runtime](MatrixView<const float> m) {
    return runtime.arena().matrix(m.rows(), m.cols());
  };

  const MatrixView<float> d_document = like(saved.document);
  layers_.score_backward(runtime, pass, d_out, saved, d_document);
  const MatrixView<float> d_sentences = like(saved.sentences);
  layers_.sentence_pool().backward(runtime, pass.sentences(), d_document, saved.sentences,
                                   pass.kept().documents(), saved.sentence_pool, d_sentences);
  const MatrixView<float> d_sentence_rows = like(saved.sentence_rows);
  layers_.read_sentences_backward(runtime, pass, d_sentences, saved, d_sentence_rows);
  const MatrixView<float> d_words = like(saved.words);
  layers_.word_pool().backward(runtime, pass.words(), d_sentence_rows, saved.words,
                               pass.kept().sentences(), saved.word_pool, d_words);
  layers_.read_words_backward(runtime, pass, d_words, ids, saved);
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
