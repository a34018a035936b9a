#include "padless/models/han.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "padless/core/error.h"
#include "padless/reference/additive_scores.h"
#include "padless/reference/attention_pool.h"
#include "padless/reference/embedding.h"
#include "padless/reference/gru.h"
#include "padless/reference/linear.h"
#include "padless/testing/bits.h"
#include "padless/testing/contract.h"
#include "padless/testing/model_inputs.h"

namespace padless {
namespace {

using Sizes = std::vector<std::size_t>;
using testing::batch_of;
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

void expect_same(const Results& found, const Results& expected) {
  testing::expect_same_bits(found.scores, expected.scores, "scores");
  testing::expect_same_bits(found.word_weights, expected.word_weights, "word weights");
  testing::expect_same_bits(found.sentence_weights, expected.sentence_weights, "sentence weights");
  for (const auto& [name, gradient] : expected.gradients) {
    testing::expect_same_bits(found.gradients.at(name), gradient, name);
  }
}

TEST(Han, GivesTheSameBitsOnEveryInstructionSetAndNumberOfThreads) {
  for (const GruReset reset : {GruReset::after, GruReset::before}) {
    const Han model = small_han(small_config(reset, 0.25f));
    const std::vector<Text> texts = random_texts(kDocuments, kWords, 1);
    Runtime scalar({.threads = 1, .isa = Isa::scalar});
    const Results expected = run(scalar, model, texts);
    testing::for_each_runtime(
        [&](Runtime& runtime) { expect_same(run(runtime, model, texts), expected); });
  }
}

// Dropout included: its draws belong to the document, not to its place in the batch.
TEST(Han, ADocumentDoesNotSeeItsNeighbours) {
  const Han model = small_han(small_config(GruReset::after, 0.25f));
  const std::vector<Text> texts = random_texts(kDocuments, kWords, 2);
  testing::for_each_runtime([&](Runtime& runtime) {
    const Results whole = run(runtime, model, texts);
    std::size_t words = 0, sentences = 0;
    for (std::size_t d = 0; d < texts.size(); ++d) {
      SCOPED_TRACE(::testing::Message() << "document " << d);
      const Results alone = run(runtime, model, {texts[d]});
      testing::expect_same_bits(alone.scores,
                                std::span(whole.scores).subspan(d * kOutputs, kOutputs));
      testing::expect_same_bits(
          alone.word_weights,
          std::span(whole.word_weights).subspan(words, alone.word_weights.size()));
      testing::expect_same_bits(
          alone.sentence_weights,
          std::span(whole.sentence_weights).subspan(sentences, alone.sentence_weights.size()));
      words += alone.word_weights.size();
      sentences += alone.sentence_weights.size();
    }
    std::vector<Text> reversed(texts.rbegin(), texts.rend());
    const Results turned = run(runtime, model, reversed);
    for (std::size_t d = 0; d < texts.size(); ++d) {
      const std::size_t at = (texts.size() - 1 - d) * kOutputs;
      testing::expect_same_bits(std::span(turned.scores).subspan(at, kOutputs),
                                std::span(whole.scores).subspan(d * kOutputs, kOutputs));
    }
  });
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

/// The model's definition in double, put together from those of its ops, forward alone.
class DoubleHan {
 public:
  explicit DoubleHan(Han model) : config_(model.config()) {
    model.for_each_parameter([this](const std::string& name, Parameter& parameter) {
      Matrix<double> value(parameter.value.rows(), parameter.value.cols());
      std::ranges::copy(parameter.value.cells(), value.data());
      parameters.emplace(name, std::move(value));
    });
  }

  Matrix<double> scores(const std::vector<Text>& texts) const {
    const testing::TextBatch batch = batch_of(texts);
    const NestedSegments kept = batch.nested.without_empty_sentences();
    Matrix<double> embedded(batch.ids.size(), config_.embedding);
    reference::embedding_forward<double>(at("embedding.weight"), batch.ids, embedded.view());
    const Matrix<double> sentences = level("word", embedded, kept.sentences());
    const Matrix<double> documents = level("sentence", sentences, kept.documents());
    return linear("head", documents);
  }

  std::map<std::string, Matrix<double>> parameters;

 private:
  MatrixView<const double> at(const std::string& name) const { return parameters.at(name).view(); }
  std::span<const double> flat(const std::string& name) const {
    return parameters.at(name).cells();
  }

  Matrix<double> linear(const std::string& prefix, const Matrix<double>& x) const {
    Matrix<double> y(x.rows(), at(prefix + ".weight").rows());
    reference::linear_forward<double>(x.view(), at(prefix + ".weight"), flat(prefix + ".bias"),
                                      y.view());
    return y;
  }

  // A bi-GRU and the attention over it: one row a sequence.
  Matrix<double> level(const std::string& name, const Matrix<double>& x,
                       const Segments& segs) const {
    const std::string gru = name + "_gru.", attention = name + "_attention.";
    const std::size_t hidden = at(gru + "forward.recurrent_weight").cols();
    Matrix<double> gates(x.rows(), 6 * hidden), states(x.rows(), 2 * hidden);
    Matrix<double> candidate(x.rows(), 2 * hidden);
    reference::linear_forward<double>(x.view(), at(gru + "input_weight"), flat(gru + "input_bias"),
                                      gates.view());
    for (const bool reversed : {false, true}) {
      const std::string unit = gru + (reversed ? "reversed." : "forward.");
      const std::size_t half = reversed ? 1 : 0;
      reference::gru_forward<double>(config_.reset, reversed, segs, at(unit + "recurrent_weight"),
                                     flat(unit + "recurrent_bias"),
                                     gates.view().cols_at(half * 3 * hidden, 3 * hidden),
                                     candidate.view().cols_at(half * hidden, hidden),
                                     states.view().cols_at(half * hidden, hidden));
    }
    Matrix<double> u = linear(attention + "projection", states);
    Matrix<double> scores(x.rows(), 1), weights(x.rows(), 1), pooled(segs.count(), 2 * hidden);
    reference::additive_scores_forward<double>(std::as_const(u).view(), flat(attention + "context"),
                                               u.view(), scores.cells());
    reference::attention_pool_forward<double>(std::as_const(states).view(),
                                              std::as_const(scores).cells(), segs, pooled.view(),
                                              weights.cells());
    return pooled;
  }

  HanConfig config_;
};

double loss(const DoubleHan& model, const std::vector<Text>& texts) {
  const Matrix<double> scores = model.scores(texts);
  double sum = 0;
  for (std::size_t d = 0; d < texts.size(); ++d) {
    const std::vector<float> slope = upstream(texts[d]);
    for (std::size_t k = 0; k < kOutputs; ++k) sum += scores(d, k) * slope[k];
  }
  return sum;
}

TEST(Han, IsItsDefinitionInDoubleUpToRounding) {
  for (const GruReset reset : {GruReset::after, GruReset::before}) {
    const Han model = small_han(small_config(reset));
    const std::vector<Text> texts = random_texts(kDocuments, kWords, 6);
    Runtime runtime;
    const Results results = run(runtime, model, texts);
    const Matrix<double> truth = DoubleHan(model).scores(texts);
    for (std::size_t i = 0; i < results.scores.size(); ++i) {
      // Some twenty roundings lie one behind the other, of numbers near 1.
      EXPECT_NEAR(results.scores[i], truth.cells()[i], 20 * 6e-8);
    }
  }
}

TEST(Han, GradientsAreThoseOfTheDefinition) {
  for (const GruReset reset : {GruReset::after, GruReset::before}) {
    const Han model = small_han(small_config(reset));
    const std::vector<Text> texts = random_texts({{3, 4}, {1}, {6, 0, 2}}, kWords, 7);
    Runtime runtime;
    const Results results = run(runtime, model, texts);
    // What flows back is rounded some hundred times on its way, in units of what flows at all.
    double largest = 0;
    for (const auto& [name, gradient] : results.gradients) {
      for (const float cell : gradient) largest = std::fmax(largest, std::fabs(cell));
    }
    const double tolerance = 100 * 6e-8 * largest;
    DoubleHan truth(model);
    for (auto& [name, value] : truth.parameters) {
      const std::vector<float>& gradient = results.gradients.at(name);
      const std::size_t stride = 1 + value.cells().size() / 40;
      for (std::size_t i = 0; i < value.cells().size(); i += stride) {
        constexpr double kStep = 1e-5;
        double& cell = value.cells()[i];
        const double before = cell;
        cell = before + kStep;
        const double above = loss(truth, texts);
        cell = before - kStep;
        const double below = loss(truth, texts);
        cell = before;
        ASSERT_NEAR(gradient[i], (above - below) / (2 * kStep), tolerance)
            << name << ", element " << i;
      }
    }
  }
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
