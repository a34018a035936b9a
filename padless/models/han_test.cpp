#include "padless/models/han.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "padless/core/error.h"
#include "padless/reference/embedding.h"
#include "padless/testing/bits.h"
#include "padless/testing/layer_subject.h"
#include "padless/testing/model_inputs.h"
#include "padless/testing/reference_layers.h"
#include "padless/testing/threads.h"

namespace padless {
namespace {

using Sizes = std::vector<std::size_t>;
using testing::Axis;
using testing::batch_of;
using testing::flat;
using testing::Operands;
using testing::random_texts;
using testing::Text;

constexpr std::size_t kWords = 23, kOutputs = 3;

HanConfig small_config(GruReset reset = GruReset::after, float dropout = 0) {
  return {.vocabulary = kWords,
          .outputs = kOutputs,
          .embedding = 7,
          .word_hidden = 5,
          .word_attention = 6,
          .sentence_hidden = 4,
          .sentence_attention = 9,
          .dropout = dropout,
          .reset = reset};
}

Han small_han(const HanConfig& config) {
  Rng rng(3);
  Han model(config, rng);
  testing::draw_zeros(model, rng);
  return model;
}

// Usual, long, one word, one long sentence, empty sentences within and alone, no sentence at all.
const std::vector<Sizes> kDocuments = {{3, 5}, {17, 2, 30, 1}, {1}, {33}, {2, 0, 3}, {0, 0}, {}};

struct Results {
  std::vector<float> scores, word_weights, sentence_weights;
  std::map<std::string, std::vector<float>> gradients;
};

std::vector<float> upstream(const Text& text) {
  Rng rng(text.number);
  const Matrix<float> drawn = rng.normal(1, kOutputs, 1);
  return {drawn.cells().begin(), drawn.cells().end()};
}

Results run(Runtime& runtime, Han model, const std::vector<Text>& texts, std::size_t shards = 4) {
  const testing::TextBatch batch = batch_of(texts);
  const NestedPass pass(batch.nested, 7, 2, shards, batch.numbers);
  const Arena::Scope scope(runtime.arena());
  Matrix<float> scores(texts.size(), kOutputs), d_scores(texts.size(), kOutputs);
  for (std::size_t d = 0; d < texts.size(); ++d) {
    std::ranges::copy(upstream(texts[d]), d_scores.row(d).begin());
  }
  Han::Saved saved;
  model.forward(runtime, pass, batch.ids, scores.view(), saved);
  Results results;
  results.scores.assign(scores.cells().begin(), scores.cells().end());
  results.word_weights.assign(saved.word_pool.weights.begin(), saved.word_pool.weights.end());
  results.sentence_weights = sentence_weights(saved, batch.nested);
  model.backward(runtime, pass, std::as_const(d_scores).view(), batch.ids, saved);
  model.for_each_parameter([&results](const std::string& name, Parameter& parameter) {
    const auto cells = parameter.gradient.cells();
    results.gradients[name].assign(cells.begin(), cells.end());
  });
  return results;
}

// What the contract's ids say of a batch: documents, and each word's sentence among those with
// words.
struct Documents {
  Documents(const Pass& pass, const Segments& words, std::span<const std::int32_t> ids)
      : nested(testing::nested_pass(pass, testing::sentences_by_ids(words, ids))) {}

  /// One of `of_sentences` for each word.
  template <class Real>
  void spread(std::span<const Real> of_sentences, MatrixView<Real> out) const {
    const Segments& sentences = nested.kept().sentences();
    for (std::size_t t = 0; t < out.rows(); ++t) {
      out(t, 0) = of_sentences[sentences.sequence_of(t)];
    }
  }

  NestedPass nested;
};

/// The model's definition, put together from those of its layers.
template <class Real>
void reference_run(const HanConfig& config, const testing::NamedParameters<Real>& all,
                   const Pass& pass, const Segments& words, const Operands<Real>& o) {
  const std::vector<std::int32_t> ids = testing::int32s(*o.ids);
  const Documents documents(pass, words, ids);
  const NestedPass& nested = documents.nested;
  const Segments &sentences = nested.kept().sentences(), &of_documents = nested.kept().documents();
  testing::ReferenceBiGru<Real> word_gru{all, "word_gru.", config.reset, {}, {}, {}, {}};
  testing::ReferenceBiGru<Real> sentence_gru{all, "sentence_gru.", config.reset, {}, {}, {}, {}};
  testing::ReferenceAdditiveAttentionPooling<Real> word_pool{all, "word_attention.", {}, {}, {}};
  testing::ReferenceAdditiveAttentionPooling<Real> sentence_pool{
      all, "sentence_attention.", {}, {}, {}};
  const testing::ReferenceLinear<Real> head{all, "head"};
  constexpr std::uint32_t kWordDropout = 0, kDocumentDropout = 1;

  Matrix<Real> embedded(ids.size(), config.embedding);
  reference::embedding_forward<Real>(all.value("embedding.weight"), ids, embedded.view());
  testing::dropout(nested.words(), config.dropout, kWordDropout, embedded);
  const Matrix<Real> rows = word_pool.forward(word_gru.forward(embedded, sentences), sentences);
  Matrix<Real> document =
      sentence_pool.forward(sentence_gru.forward(rows, of_documents), of_documents);
  testing::dropout(nested.documents(), config.dropout, kDocumentDropout, document);
  testing::copy(head.forward(document), o.outputs[0]);
  std::ranges::copy(word_pool.weights, flat(o.outputs[1]).begin());
  documents.spread<Real>(sentence_pool.weights, o.outputs[2]);

  Matrix<Real> d = head.backward(nested.documents(), testing::copy(o.d_outputs[0]), document);
  testing::dropout(nested.documents(), config.dropout, kDocumentDropout, d);
  d = sentence_gru.backward(nested.sentences(),
                            sentence_pool.backward(nested.sentences(), d, of_documents),
                            of_documents);
  d = word_gru.backward(nested.words(), word_pool.backward(nested.words(), d, sentences),
                        sentences);
  testing::dropout(nested.words(), config.dropout, kWordDropout, d);
  reference::embedding_backward<Real>(ids, std::as_const(d).view(),
                                      testing::shards_of_pass(nested.words(), ids.size()),
                                      all.gradient("embedding.weight"));
}

TEST(Han, KeepsTheContract) {
  for (const GruReset reset : {GruReset::after, GruReset::before}) {
    const HanConfig config = small_config(reset, 0.25f);
    const Han prototype = small_han(config);
    testing::Subject subject{
        .name = reset == GruReset::after ? "Han, after" : "Han, before",
        .parameters = testing::head_of_no_rows(testing::parameters_of(prototype)),
        .outputs = {{.name = "scores", .axis = Axis::sequences, .cols = kOutputs},
                    {.name = "word weights", .has_gradient = false},
                    {.name = "sentence weights", .has_gradient = false}},
        .ids_below = kWords,
        .id_table = "embedding.weight",
        .probes = 3,
        .run = [prototype](Runtime& runtime, const Pass& pass, const Segments& words,
                           const Operands<float>& o) {
          Han model = prototype;
          testing::set_parameters(model, o);
          const std::vector<std::int32_t> ids = testing::int32s(*o.ids);
          const Documents documents(pass, words, ids);
          const Arena::Scope scope(runtime.arena());
          Han::Saved saved;
          model.forward(runtime, documents.nested, ids, o.outputs[0], saved);
          std::ranges::copy(saved.word_pool.weights, flat(o.outputs[1]).begin());
          documents.spread<float>(saved.sentence_pool.weights, o.outputs[2]);
          model.backward(runtime, documents.nested, o.d_outputs[0], ids, saved);
          testing::get_gradients(model, o);
        }};
    const std::vector<testing::Operand> names = subject.parameters;
    subject.set_reference([config, names]<class Real>(const Pass& pass, const Segments& words,
                                                      const Operands<Real>& o) {
      const testing::NamedParameters<Real> all(names, o);
      reference_run<Real>(config, all, pass, words, o);
    });
    expect_contract(subject);
  }
}

TEST(Han, AnEmptySentenceIsAsIfItWereNotThere) {
  const Han model = small_han(small_config(GruReset::after, 0.25f));
  std::vector<Text> with = random_texts({{2, 0, 3, 0}}, kWords, 3);
  std::vector<Text> without = with;
  without[0].sentences = {2, 3};
  Runtime runtime;
  const Results a = run(runtime, model, with), b = run(runtime, model, without);
  testing::expect_same_bits(a.scores, b.scores);
  for (const auto& [name, gradient] : b.gradients) {
    testing::expect_same_bits(a.gradients.at(name), gradient, name);
  }
  EXPECT_EQ(a.sentence_weights,
            (std::vector<float>{b.sentence_weights[0], 0, b.sentence_weights[1], 0}));
}

TEST(Han, ADocumentWithoutWordsGivesTheHeadsBias) {
  Han model = small_han(small_config());
  std::vector<float> bias;
  model.for_each_parameter([&bias](const std::string& name, Parameter& parameter) {
    if (name == "head.bias") bias.assign(parameter.value.data(), parameter.value.data() + kOutputs);
  });
  Runtime runtime;
  for (const Sizes& sentences : {Sizes{}, Sizes{0, 0}}) {
    const Results results = run(runtime, model, random_texts({sentences}, kWords, 4));
    EXPECT_EQ(results.scores, bias);
    for (const auto& [name, gradient] : results.gradients) {
      if (name == "head.bias") continue;
      for (const float cell : gradient) EXPECT_EQ(cell, 0) << name;
    }
  }
  EXPECT_TRUE(run(runtime, model, {}).scores.empty());
}

TEST(Han, WithoutDropoutTrainingAndInferenceGiveTheSameBits) {
  const Han model = small_han(small_config());
  const std::vector<Text> texts = random_texts(kDocuments, kWords, 5);
  Runtime runtime;
  const Results training = run(runtime, model, texts);
  const testing::TextBatch batch = batch_of(texts);
  const NestedPass pass(batch.nested);
  Matrix<float> scores(texts.size(), kOutputs);
  Han::Saved saved;
  model.forward(runtime, pass, batch.ids, scores.view(), saved);
  testing::expect_same_bits(scores.cells(), training.scores);
}

TEST(Han, ServesThreadsThatShareIt) {
  const Han model = small_han(small_config());
  testing::expect_same_on_threads([&model](Runtime& runtime, std::size_t caller) {
    const Arena::Scope scope(runtime.arena());
    const testing::TextBatch batch = batch_of(random_texts(kDocuments, kWords, caller));
    const NestedPass pass(batch.nested);
    Matrix<float> scores(batch.nested.documents().count(), kOutputs);
    Han::Saved saved;
    model.forward(runtime, pass, batch.ids, scores.view(), saved);
    return testing::numbers_of(scores);
  });
}

TEST(HanConfig, CountsItsParameters) {
  Han model = small_han(small_config());
  std::size_t count = 0;
  model.for_each_parameter([&count](const std::string&, Parameter& parameter) {
    count += parameter.value.cells().size();
  });
  EXPECT_EQ(static_cast<double>(count), small_config().parameters());
}

TEST(HanConfig, RefusesSizesThatMakeNoModel) {
  HanConfig config = small_config();
  config.word_hidden = 0;
  EXPECT_THROW(config.check(), ValueError);
  config = small_config();
  config.embedding = std::size_t{1} << 24;
  config.vocabulary = std::size_t{1} << 24;
  EXPECT_THROW(config.check(), ValueError);
  config = small_config(GruReset::after, 1);
  EXPECT_THROW(config.check(), ValueError);
}

TEST(Han, RefusesIdsBeyondTheVocabulary) {
  const Han model = small_han(small_config());
  std::vector<Text> texts = random_texts({{2}}, kWords, 8);
  texts[0].ids[1] = kWords;
  Runtime runtime;
  EXPECT_THROW(run(runtime, model, texts), ValueError);
}

}  // namespace
}  // namespace padless
