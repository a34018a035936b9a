#include "padless/models/transformer_encoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "padless/core/error.h"
#include "padless/ops/attention.h"
#include "padless/reference/additive_scores.h"
#include "padless/reference/attention_pool.h"
#include "padless/reference/embedding.h"
#include "padless/reference/pool.h"
#include "padless/testing/bits.h"
#include "padless/testing/contract.h"
#include "padless/testing/count_allocations.h"
#include "padless/testing/model_inputs.h"
#include "padless/testing/reference_layers.h"

namespace padless {
namespace {

using Sizes = std::vector<std::size_t>;
using testing::batch_of;
using testing::random_texts;
using testing::Text;

constexpr std::size_t kWords = 23, kOutputs = 3;

TransformerEncoderConfig small_config() {
  return {.vocabulary = kWords,
          .outputs = kOutputs,
          .width = 12,
          .layers = 2,
          .heads = 4,
          .feed_forward = 17,
          .max_length = 60,
          .pooling_attention = 9,
          .dropout = 0};
}

/// Configurations that between them use every part.
std::map<std::string, TransformerEncoderConfig> all_configs(float dropout) {
  std::map<std::string, TransformerEncoderConfig> all;
  TransformerEncoderConfig config = small_config();
  config.dropout = dropout;
  all["pre, learned, mean"] = config;
  config.norm_place = NormPlace::post;
  config.positions = Positions::sinusoidal;
  config.pooling = EncoderPooling::first;
  config.activation = Activation::relu;
  all["post, sinusoidal, first"] = config;
  config = small_config();
  config.dropout = dropout;
  config.norm = NormKind::rms;
  config.gated = true;
  config.activation = Activation::silu;
  config.key_heads = 2;
  config.positions = Positions::alibi;
  config.pooling = EncoderPooling::additive_attention;
  config.share_layers = true;
  all["rms, gated, alibi, additive attention, shared"] = config;
  config.share_layers = false;
  config.positions = Positions::rope;
  config.head_width = 4;
  config.pooling = EncoderPooling::max;
  config.recompute = true;
  all["rope, max, recompute"] = config;
  config = small_config();
  config.dropout = dropout;
  config.pooling = EncoderPooling::per_token;
  all["per token"] = config;
  return all;
}

TransformerEncoder small_model(const TransformerEncoderConfig& config) {
  Rng rng(3);
  TransformerEncoder model(config, rng);
  testing::draw_zeros(model, rng);
  return model;
}

// Usual, long, one word, empty sentences within and alone, no sentence at all.
const std::vector<Sizes> kDocuments = {{3, 5}, {17, 2, 30, 1}, {1}, {2, 0, 3}, {0, 0}, {}, {33}};

std::size_t rows_of(const TransformerEncoderConfig& config, const Text& text) {
  return config.pooling == EncoderPooling::per_token ? text.ids.size() : 1;
}

struct Results {
  std::vector<float> scores, word_weights;
  std::map<std::string, std::vector<float>> gradients;
};

Matrix<float> upstream(const TransformerEncoderConfig& config, const std::vector<Text>& texts) {
  std::size_t rows = 0;
  for (const Text& text : texts) rows += rows_of(config, text);
  Matrix<float> slopes(rows, kOutputs);
  std::size_t row = 0;
  for (const Text& text : texts) {
    Rng rng(text.number);
    for (std::size_t r = 0; r < rows_of(config, text); ++r, ++row) {
      for (float& cell : slopes.row(row)) cell = static_cast<float>(rng.normal());
    }
  }
  return slopes;
}

Results run(Runtime& runtime, TransformerEncoder model, const std::vector<Text>& texts,
            std::size_t shards = 4) {
  const testing::TextBatch batch = batch_of(texts);
  const NestedPass pass(batch.nested, 7, 2, shards, batch.numbers);
  const Arena::Scope scope(runtime.arena());
  const Matrix<float> d_scores = upstream(model.config(), texts);
  Matrix<float> scores(d_scores.rows(), kOutputs);
  TransformerEncoder::Saved saved;
  model.forward(runtime, pass, batch.ids, scores.view(), saved);
  Results results;
  results.scores.assign(scores.cells().begin(), scores.cells().end());
  results.word_weights.resize(batch.ids.size());
  if (model.config().frozen_blocks == 0) {
    model.word_weights(runtime, pass, saved, results.word_weights);
  }
  model.backward(runtime, pass, d_scores.view(), batch.ids, saved);
  model.for_each_parameter([&results](const std::string& name, Parameter& parameter) {
    const auto cells = parameter.gradient.cells();
    results.gradients[name].assign(cells.begin(), cells.end());
  });
  return results;
}

void expect_same(const Results& found, const Results& expected) {
  testing::expect_same_bits(found.scores, expected.scores, "scores");
  testing::expect_same_bits(found.word_weights, expected.word_weights, "word weights");
  for (const auto& [name, gradient] : expected.gradients) {
    testing::expect_same_bits(found.gradients.at(name), gradient, name);
  }
}

TEST(TransformerEncoder, GivesTheSameBitsOnEveryInstructionSetAndNumberOfThreads) {
  for (const auto& [name, config] : all_configs(0.25f)) {
    SCOPED_TRACE(name);
    const TransformerEncoder model = small_model(config);
    const std::vector<Text> texts = random_texts(kDocuments, kWords, 1);
    Runtime scalar({.threads = 1, .isa = Isa::scalar});
    const Results expected = run(scalar, model, texts);
    testing::for_each_runtime(
        [&](Runtime& runtime) { expect_same(run(runtime, model, texts), expected); });
  }
}

// Dropout included: its draws belong to the document, not to its place in the batch.
TEST(TransformerEncoder, ADocumentDoesNotSeeItsNeighbours) {
  for (const auto& [name, config] : all_configs(0.25f)) {
    SCOPED_TRACE(name);
    const TransformerEncoder model = small_model(config);
    const std::vector<Text> texts = random_texts(kDocuments, kWords, 2);
    testing::for_each_runtime([&](Runtime& runtime) {
      const Results whole = run(runtime, model, texts);
      std::vector<Text> reversed(texts.rbegin(), texts.rend());
      const Results turned = run(runtime, model, reversed);
      std::size_t words = 0, rows = 0;
      for (std::size_t d = 0; d < texts.size(); ++d) {
        SCOPED_TRACE(::testing::Message() << "document " << d);
        const Results alone = run(runtime, model, {texts[d]});
        const std::size_t count = rows_of(config, texts[d]) * kOutputs;
        testing::expect_same_bits(alone.scores, std::span(whole.scores).subspan(rows, count));
        testing::expect_same_bits(
            alone.word_weights,
            std::span(whole.word_weights).subspan(words, alone.word_weights.size()));
        rows += count;
        words += alone.word_weights.size();
        testing::expect_same_bits(
            alone.scores, std::span(turned.scores).subspan(turned.scores.size() - rows, count));
      }
    });
  }
}

TEST(TransformerEncoder, SentencesMakeNoDifference) {
  const TransformerEncoder model = small_model(small_config());
  std::vector<Text> with = random_texts({{2, 0, 3, 0}}, kWords, 3);
  std::vector<Text> without = with;
  without[0].sentences = {5};
  Runtime runtime;
  expect_same(run(runtime, model, with), run(runtime, model, without));
}

TEST(TransformerEncoder, ADocumentWithoutWordsGivesTheHeadsBias) {
  for (const auto& [name, config] : all_configs(0)) {
    if (config.pooling == EncoderPooling::per_token) continue;
    SCOPED_TRACE(name);
    TransformerEncoder model = small_model(config);
    std::vector<float> bias;
    model.for_each_parameter([&bias](const std::string& parameter_name, Parameter& parameter) {
      if (parameter_name == "head.bias") {
        bias.assign(parameter.value.data(), parameter.value.data() + kOutputs);
      }
    });
    Runtime runtime;
    for (const Sizes& sentences : {Sizes{}, Sizes{0, 0}}) {
      const Results results = run(runtime, model, random_texts({sentences}, kWords, 4));
      EXPECT_EQ(results.scores, bias);
      for (const auto& [parameter_name, gradient] : results.gradients) {
        if (parameter_name == "head.bias") continue;
        for (const float cell : gradient) EXPECT_EQ(cell, 0) << parameter_name;
      }
    }
    EXPECT_TRUE(run(runtime, model, {}).scores.empty());
  }
}

TEST(TransformerEncoder, WithoutDropoutTrainingAndInferenceGiveTheSameBits) {
  for (const auto& [name, config] : all_configs(0)) {
    SCOPED_TRACE(name);
    const TransformerEncoder model = small_model(config);
    const std::vector<Text> texts = random_texts(kDocuments, kWords, 5);
    Runtime runtime;
    const Results training = run(runtime, model, texts);
    const testing::TextBatch batch = batch_of(texts);
    const NestedPass pass(batch.nested);
    Matrix<float> scores(training.scores.size() / kOutputs, kOutputs);
    for (const bool keep : {false, true}) {
      const Arena::Scope scope(runtime.arena());
      TransformerEncoder::Saved saved;
      saved.stack.keep = keep;
      model.forward(runtime, pass, batch.ids, scores.view(), saved);
      testing::expect_same_bits(scores.cells(), training.scores);
      if (!keep) continue;
      std::vector<float> weights(batch.ids.size());
      model.word_weights(runtime, pass, saved, weights);
      testing::expect_same_bits(weights, training.word_weights);
    }
  }
}

std::size_t arena_bytes(Runtime& runtime, const TransformerEncoderConfig& config, bool training) {
  const TransformerEncoder model = small_model(config);
  const testing::TextBatch batch = batch_of(random_texts({{50}, {50}, {50}, {50}}, kWords, 5));
  const NestedPass inference(batch.nested);
  const NestedPass step(batch.nested, 7, 2, 4, batch.numbers);
  const Arena::Scope scope(runtime.arena());
  Matrix<float> scores(config.pooling == EncoderPooling::per_token ? 200 : 4, kOutputs);
  TransformerEncoder::Saved saved;
  model.forward(runtime, training ? step : inference, batch.ids, scores.view(), saved);
  // What the forward left in use, by where the next piece of memory lies.
  const Arena::Mark mark = runtime.arena().mark();
  return mark.block == 0 ? mark.used : std::numeric_limits<std::size_t>::max();
}

// One large block of arena, so that a mark is a number of bytes.
void make_one_block(Runtime& runtime) {
  const Arena::Scope scope(runtime.arena());
  static_cast<void>(runtime.arena().take<std::byte>(std::size_t{8} << 20));
}

TEST(TransformerEncoder, RecomputingGivesTheSameBitsInLessMemory) {
  for (auto [name, config] : all_configs(0.25f)) {
    SCOPED_TRACE(name);
    config.recompute = false;
    const std::vector<Text> texts = random_texts(kDocuments, kWords, 6);
    Runtime runtime;
    make_one_block(runtime);
    const Results expected = run(runtime, small_model(config), texts);
    config.layers = 6;
    const std::size_t kept = arena_bytes(runtime, config, true);
    const std::size_t inference = arena_bytes(runtime, config, false);
    config.recompute = true;
    const std::size_t recomputed = arena_bytes(runtime, config, true);
    EXPECT_LT(3 * recomputed, kept);
    EXPECT_LT(inference, recomputed);
    config.layers = 2;
    expect_same(run(runtime, small_model(config), texts), expected);
  }
}

// Frozen: the lowest layers' gradients stay untouched, those above are what they were, and the
// pass keeps nothing of what lies below: there is nothing that backward could walk through.
TEST(TransformerEncoder, FrozenLayersCostNothingInBackward) {
  for (auto [name, config] : all_configs(0.25f)) {
    if (config.share_layers) continue;
    SCOPED_TRACE(name);
    config.layers = 3;
    const std::vector<Text> texts = random_texts(kDocuments, kWords, 7);
    Runtime runtime;
    const Results whole = run(runtime, small_model(config), texts);
    for (const std::size_t blocks : {0u, 1u, 2u, 3u}) {
      config.frozen_blocks = blocks;
      config.frozen_embeddings = blocks % 2 == 0;
      TransformerEncoder model = small_model(config);
      std::vector<std::string> trained;
      model.for_each_trained_parameter(
          [&trained](const std::string& parameter, Parameter&) { trained.push_back(parameter); });
      const Results results = run(runtime, model, texts);
      testing::expect_same_bits(results.scores, whole.scores);
      std::size_t frozen = 0;
      for (const auto& [parameter, gradient] : whole.gradients) {
        if (std::ranges::find(trained, parameter) != trained.end()) {
          testing::expect_same_bits(results.gradients.at(parameter), gradient, parameter);
        } else {
          ++frozen;
          for (const float cell : results.gradients.at(parameter)) ASSERT_EQ(cell, 0) << parameter;
        }
      }
      EXPECT_GE(frozen, blocks == 0 ? 1u : 12u * blocks);

      const testing::TextBatch batch = batch_of(texts);
      const NestedPass pass(batch.nested, 7, 2, 4, batch.numbers);
      Matrix<float> scores(whole.scores.size() / kOutputs, kOutputs);
      const Arena::Scope scope(runtime.arena());
      TransformerEncoder::Saved saved;
      model.forward(runtime, pass, batch.ids, scores.view(), saved);
      for (std::size_t l = 0; l < blocks; ++l) {
        EXPECT_EQ(saved.stack.inputs[l].data(), nullptr);
        EXPECT_EQ(saved.stack.blocks[l].middle.data(), nullptr);
      }
    }
  }
}

TEST(TransformerEncoder, AttentionOfEveryLayerAddsUpToOneAndChangesNothing) {
  const TransformerEncoderConfig config = small_config();
  TransformerEncoder model = small_model(config);
  const testing::TextBatch batch = batch_of(random_texts(kDocuments, kWords, 8));
  const NestedPass pass(batch.nested);
  const Segments& words = pass.kept().words();
  Runtime runtime;
  const Arena::Scope scope(runtime.arena());
  Matrix<float> scores(words.count(), kOutputs), again(words.count(), kOutputs);
  TransformerEncoder::Saved saved;
  saved.stack.keep = true;
  model.forward(runtime, pass, batch.ids, scores.view(), saved);
  for (std::size_t layer = 0; layer < config.layers; ++layer) {
    std::vector<float> weights(attention_weights_begin(words, words, 4, words.count()));
    model.attention_weights(runtime, pass.words(), words, layer, saved.stack, weights);
    auto row = weights.begin();
    for (std::size_t b = 0; b < words.count(); ++b) {
      const auto n = static_cast<std::ptrdiff_t>(words.length(b));
      // A row for each head and word; some fifty roundings in each.
      for (std::ptrdiff_t i = 0; i < 4 * n; ++i, row += n) {
        EXPECT_NEAR(std::accumulate(row, row + n, 0.0), 1, 50 * 6e-8);
      }
    }
    EXPECT_EQ(row, weights.end());
  }
  EXPECT_THROW(model.attention_weights(runtime, pass.words(), words, 2, saved.stack, {}),
               ValueError);
  TransformerEncoder::Saved nothing;
  model.forward(runtime, pass, batch.ids, again.view(), nothing);
  testing::expect_same_bits(again.cells(), scores.cells());
  EXPECT_THROW(model.attention_weights(runtime, pass.words(), words, 0, nothing.stack, {}),
               ValueError);
}

TEST(TransformerEncoder, WordWeightsAddUpToOneInEachText) {
  for (const auto& [name, config] : all_configs(0)) {
    SCOPED_TRACE(name);
    const std::vector<Text> texts = random_texts(kDocuments, kWords, 9);
    Runtime runtime;
    const Results results = run(runtime, small_model(config), texts);
    std::size_t next = 0;
    for (const Text& text : texts) {
      double sum = 0;
      for (std::size_t i = 0; i < text.ids.size(); ++i) sum += results.word_weights[next++];
      EXPECT_NEAR(sum, text.ids.empty() ? 0 : 1, 200 * 6e-8);
    }
  }
}

TEST(TransformerEncoder, TheSecondPassOfASizeAllocatesNothing) {
  for (const auto& [name, config] : all_configs(0.25f)) {
    SCOPED_TRACE(name);
    TransformerEncoder model = small_model(config);
    const std::vector<Text> texts = random_texts(kDocuments, kWords, 10);
    const testing::TextBatch batch = batch_of(texts);
    const NestedPass pass(batch.nested, 7, 2, 4, batch.numbers);
    const Matrix<float> d_scores = upstream(config, texts);
    Matrix<float> scores(d_scores.rows(), kOutputs);
    Runtime runtime;
    TransformerEncoder::Saved saved;
    std::size_t allocations = 0;
    for (int round = 0; round < 3; ++round) {
      const Arena::Scope scope(runtime.arena());
      const std::size_t before = testing::allocation_count();
      model.forward(runtime, pass, batch.ids, scores.view(), saved);
      model.backward(runtime, pass, d_scores.view(), batch.ids, saved);
      allocations = testing::allocation_count() - before;
    }
    EXPECT_EQ(allocations, 0u);
  }
}

/// The model's definition in double, put together from those of its ops, forward alone.
class DoubleEncoder {
 public:
  explicit DoubleEncoder(TransformerEncoder model) : config_(model.config()) {
    model.for_each_parameter([this](const std::string& name, Parameter& parameter) {
      Matrix<double> value(parameter.value.rows(), parameter.value.cols());
      std::ranges::copy(parameter.value.cells(), value.data());
      parameters.emplace(name, std::move(value));
    });
  }

  Matrix<double> scores(const std::vector<Text>& texts) const {
    testing::NamedParameters<double> all;
    for (const auto& [name, value] : parameters) all.add(name, value.view(), {});
    const testing::TextBatch batch = batch_of(texts);
    const NestedPass nested(batch.nested);
    const Segments& words = nested.kept().words();
    const BlockConfig block =
        config_.stack().block.with_positions(config_.positions, config_.max_length);
    const Pass pass;

    Matrix<double> rows =
        testing::reference_embedding(all, config_.positions, words, batch.ids, "embedding.");
    testing::ReferenceNorm<double> norm{all, "norm", block.norm, static_cast<double>(block.epsilon),
                                        {},  {},     {}};
    if (block.norm_place == NormPlace::post) rows = norm.forward(rows);
    for (std::size_t l = 0; l < config_.layers; ++l) {
      const std::string name = config_.share_layers ? "shared" : std::to_string(l);
      testing::ReferenceEncoderBlock<double> layer(all, "blocks." + name + ".", block, 0);
      rows = layer.forward(pass, rows, words);
    }
    if (block.norm_place == NormPlace::pre) rows = norm.forward(rows);
    return testing::ReferenceLinear<double>{all, "head"}.forward(pooled(all, rows, words));
  }

  std::map<std::string, Matrix<double>> parameters;

 private:
  Matrix<double> pooled(const testing::NamedParameters<double>& all, const Matrix<double>& rows,
                        const Segments& words) const {
    if (config_.pooling == EncoderPooling::per_token) return rows;
    Matrix<double> out(words.count(), config_.width);
    if (config_.pooling == EncoderPooling::additive_attention) {
      Matrix<double> u = testing::ReferenceLinear<double>{all, "pooling.projection"}.forward(rows);
      Matrix<double> scores(rows.rows(), 1), weights(rows.rows(), 1);
      reference::additive_scores_forward<double>(
          std::as_const(u).view(), all.values("pooling.context"), u.view(), scores.cells());
      reference::attention_pool_forward<double>(rows.view(), std::as_const(scores).cells(), words,
                                                out.view(), weights.cells());
      return out;
    }
    for (std::size_t d = 0; d < words.count(); ++d) {
      const auto [begin, end] = words[d];
      for (std::size_t c = 0; c < config_.width && begin < end; ++c) {
        double sum = 0, top = -std::numeric_limits<double>::infinity();
        for (std::size_t t = begin; t < end; ++t) {
          sum += rows(t, c);
          top = std::max(top, rows(t, c));
        }
        const double mean = sum / static_cast<double>(end - begin);
        out(d, c) = config_.pooling == EncoderPooling::mean  ? mean
                    : config_.pooling == EncoderPooling::max ? top
                                                             : rows(begin, c);
      }
    }
    return out;
  }

  TransformerEncoderConfig config_;
};

double loss(const DoubleEncoder& model, const TransformerEncoderConfig& config,
            const std::vector<Text>& texts) {
  const Matrix<double> scores = model.scores(texts);
  const Matrix<float> slopes = upstream(config, texts);
  double sum = 0;
  for (std::size_t i = 0; i < slopes.cells().size(); ++i) {
    sum += scores.cells()[i] * static_cast<double>(slopes.cells()[i]);
  }
  return sum;
}

TEST(TransformerEncoder, IsItsDefinitionInDoubleUpToRounding) {
  for (const auto& [name, config] : all_configs(0)) {
    SCOPED_TRACE(name);
    const TransformerEncoder model = small_model(config);
    const std::vector<Text> texts = random_texts(kDocuments, kWords, 6);
    Runtime runtime;
    const Results results = run(runtime, model, texts);
    const Matrix<double> truth = DoubleEncoder(model).scores(texts);
    for (std::size_t i = 0; i < results.scores.size(); ++i) {
      // Some fifty roundings lie one behind the other, of numbers near 1.
      EXPECT_NEAR(results.scores[i], truth.cells()[i], 50 * 6e-8);
    }
  }
}

TEST(TransformerEncoder, GradientsAreThoseOfTheDefinition) {
  for (const auto& [name, config] : all_configs(0)) {
    SCOPED_TRACE(name);
    const TransformerEncoder model = small_model(config);
    const std::vector<Text> texts = random_texts({{3, 4}, {1}, {6, 0, 2}}, kWords, 7);
    Runtime runtime;
    const Results results = run(runtime, model, texts);
    // What flows back is rounded some hundred times on its way, in units of what flows at all.
    double largest = 0;
    for (const auto& [parameter, gradient] : results.gradients) {
      for (const float cell : gradient) largest = std::fmax(largest, std::fabs(cell));
    }
    const double tolerance = 100 * 6e-8 * largest;
    DoubleEncoder truth(model);
    for (auto& [parameter, value] : truth.parameters) {
      const std::vector<float>& gradient = results.gradients.at(parameter);
      const std::size_t stride = 1 + value.cells().size() / 20;
      for (std::size_t i = 0; i < value.cells().size(); i += stride) {
        constexpr double kStep = 1e-5;
        double& cell = value.cells()[i];
        const double before = cell;
        cell = before + kStep;
        const double above = loss(truth, config, texts);
        cell = before - kStep;
        const double below = loss(truth, config, texts);
        cell = before;
        ASSERT_NEAR(gradient[i], (above - below) / (2 * kStep), tolerance)
            << parameter << ", element " << i;
      }
    }
  }
}

TEST(TransformerEncoder, EncodeGivesTheRowsThatThePerTokenHeadReads) {
  TransformerEncoderConfig config = small_config();
  config.pooling = EncoderPooling::per_token;
  const TransformerEncoder model = small_model(config);
  const testing::TextBatch batch = batch_of(random_texts(kDocuments, kWords, 11));
  const NestedPass pass(batch.nested);
  Runtime runtime;
  Matrix<float> rows(batch.ids.size(), 12), scores(batch.ids.size(), kOutputs);
  EncoderStack::Saved saved;
  model.encode(runtime, pass.words(), pass.kept().words(), batch.ids, rows.view(), saved);
  TransformerEncoder::Saved whole;
  model.forward(runtime, pass, batch.ids, scores.view(), whole);
  testing::expect_same_bits(rows.cells(),
                            std::span<const float>(whole.rows.data(), rows.cells().size()));
}

TEST(TransformerEncoderConfig, CountsItsParameters) {
  for (const auto& [name, config] : all_configs(0)) {
    TransformerEncoder model = small_model(config);
    std::size_t count = 0;
    model.for_each_parameter([&count](const std::string&, Parameter& parameter) {
      count += parameter.value.cells().size();
    });
    EXPECT_EQ(static_cast<double>(count), config.parameters()) << name;
  }
}

TEST(TransformerEncoderConfig, RefusesSizesThatMakeNoModel) {
  const auto refused = [](auto change) {
    TransformerEncoderConfig config = small_config();
    change(config);
    try {
      config.check();
    } catch (const ValueError&) {
      return true;
    }
    return false;
  };
  using Config = TransformerEncoderConfig;
  EXPECT_FALSE(refused([](Config&) {}));
  EXPECT_TRUE(refused([](Config& c) { c.vocabulary = 0; }));
  EXPECT_TRUE(refused([](Config& c) { c.outputs = 0; }));
  EXPECT_TRUE(refused([](Config& c) { c.width = 0; }));
  EXPECT_TRUE(refused([](Config& c) { c.layers = 0; }));
  EXPECT_TRUE(refused([](Config& c) { c.heads = 5; }));
  EXPECT_TRUE(refused([](Config& c) { c.key_heads = 3; }));
  EXPECT_TRUE(refused([](Config& c) { c.feed_forward = 0; }));
  EXPECT_TRUE(refused([](Config& c) { c.max_length = 0; }));
  EXPECT_TRUE(refused([](Config& c) { c.pooling_attention = 0; }));
  EXPECT_TRUE(refused([](Config& c) { c.dropout = 1; }));
  EXPECT_TRUE(refused([](Config& c) { c.dropout = std::numeric_limits<float>::quiet_NaN(); }));
  EXPECT_TRUE(refused([](Config& c) { c.frozen_blocks = 3; }));
  EXPECT_TRUE(refused([](Config& c) { c.positions = Positions::rope; }));  // heads of width 3
  for (const Positions positions : {Positions::rope, Positions::sinusoidal}) {
    EXPECT_TRUE(refused([positions](Config& c) {
      c.positions = positions;
      c.head_width = 4;
      c.max_length = std::size_t{1} << 23;
    }));
  }
  EXPECT_TRUE(refused([](Config& c) {
    c.share_layers = true;
    c.frozen_blocks = 1;
  }));
  EXPECT_TRUE(refused([](Config& c) { c.vocabulary = std::size_t{1} << 31; }));
}

TEST(TransformerEncoder, RefusesIdsBeyondTheVocabularyAndTextsThatAreTooLong) {
  const TransformerEncoder model = small_model(small_config());
  std::vector<Text> texts = random_texts({{2}}, kWords, 8);
  texts[0].ids[1] = kWords;
  Runtime runtime;
  EXPECT_THROW(run(runtime, model, texts), ValueError);
  try {
    run(runtime, model, random_texts({{1}, {30, 31}}, kWords, 8));
    FAIL() << "was accepted";
  } catch (const ValueError& error) {
    EXPECT_STREQ(error.what(),
                 "TransformerEncoder: a sequence has 61 words, expected at most 60 (max_length): "
                 "cut it before, as the tokenizer's max_words does");
  }
}

}  // namespace
}  // namespace padless
