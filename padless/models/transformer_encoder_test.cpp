#include "padless/models/transformer_encoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "padless/core/error.h"
#include "padless/ops/attention.h"
#include "padless/reference/pool.h"
#include "padless/testing/bits.h"
#include "padless/testing/count_allocations.h"
#include "padless/testing/layer_subject.h"
#include "padless/testing/model_inputs.h"
#include "padless/testing/reference_layers.h"
#include "padless/testing/reference_stacks.h"
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

TransformerEncoderConfig small_config() {
  return {.vocabulary = kWords,
          .outputs = kOutputs,
          .width = 12,
          .layers = 2,
          .heads = 4,
          .feed_forward = 17,
          .max_length = 64,
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

/// The pooling's definition.
template <class Real>
struct ReferencePooling {
  EncoderPooling kind;
  testing::ReferenceAdditiveAttentionPooling<Real> additive;  // parameters below "pooling."
  Matrix<Real> x;                                             // of the last forward

  ReferencePooling(EncoderPooling of, const testing::NamedParameters<Real>& all)
      : kind(of), additive{all, "pooling.", {}, {}, {}} {}

  static Real rows(std::size_t n) { return Real(static_cast<float>(n)); }

  Matrix<Real> forward(const Matrix<Real>& in, const Segments& words) {
    x = in;
    if (kind == EncoderPooling::per_token) return x;
    if (kind == EncoderPooling::additive_attention) return additive.forward(x, words);
    Matrix<Real> out(words.count(), x.cols());
    if (kind == EncoderPooling::max) {
      reference::pool_max_forward<Real>(in.view(), words, out.view());
    } else if (kind == EncoderPooling::mean) {
      reference::pool_sum_forward<Real>(in.view(), words, rows, out.view());
    } else {
      for (std::size_t d = 0; d < words.count(); ++d) {
        if (!words[d].empty()) std::ranges::copy(in.row(words[d].begin), out.row(d).begin());
      }
    }
    return out;
  }
  Matrix<Real> backward(const Pass& pass, const Matrix<Real>& d_out, const Segments& words) const {
    if (kind == EncoderPooling::per_token) return d_out;
    if (kind == EncoderPooling::additive_attention) return additive.backward(pass, d_out, words);
    Matrix<Real> d_x(x.rows(), x.cols());
    if (kind == EncoderPooling::max) {
      reference::pool_max_backward<Real>(d_out.view(), x.view(), words, d_x.view());
    } else if (kind == EncoderPooling::mean) {
      reference::pool_sum_backward<Real>(d_out.view(), words, rows, d_x.view());
    } else {
      for (std::size_t d = 0; d < words.count(); ++d) {
        if (!words[d].empty()) std::ranges::copy(d_out.row(d), d_x.row(words[d].begin).begin());
      }
    }
    return d_x;
  }
};

/// How much each word was looked at, by the weights [H, N, N] of each text.
template <class Real>
void reference_word_weights(std::span<const Real> weights, std::size_t heads, const Segments& words,
                            MatrixView<Real> out) {
  for (std::size_t d = 0; d < words.count(); ++d) {
    const std::size_t n = words.length(d), rows = heads * n;
    for (std::size_t key = 0; key < n; ++key) {
      Real sum = 0;
      for (std::size_t row = 0; row < rows; ++row) sum = sum + weights[row * n + key];
      out(words[d].begin + key, 0) = sum / Real(static_cast<float>(rows));
    }
    weights = weights.subspan(rows * n);
  }
}

/// The model's definition, put together from those of its layers.
template <class Real>
void reference_run(const TransformerEncoderConfig& config,
                   const testing::NamedParameters<Real>& all, const Pass& pass,
                   const Segments& words, const Operands<Real>& o) {
  const std::vector<std::int32_t> ids = testing::int32s(*o.ids);
  const NestedPass nested = testing::nested_pass(pass, testing::sentences_by_ids(words, ids));
  const bool per_token = config.pooling == EncoderPooling::per_token;
  const Pass& head_pass = per_token ? nested.words() : nested.documents();
  constexpr std::uint32_t kHeadDropout = 0, kStack = 1;
  testing::ReferenceEncoderStack<Real> stack(all, "", config.stack(), kStack);
  ReferencePooling<Real> pooling(config.pooling, all);
  const testing::ReferenceLinear<Real> head{all, "head"};

  Matrix<Real> pooled = pooling.forward(stack.forward(nested.words(), words, ids), words);
  testing::dropout(head_pass, config.dropout, kHeadDropout, pooled);
  testing::copy(head.forward(pooled), o.outputs[0]);
  if (config.pooling == EncoderPooling::additive_attention) {
    std::ranges::copy(pooling.additive.weights, flat(o.outputs[1]).begin());
  } else {
    reference_word_weights<Real>(stack.blocks.back().attention.weights, config.heads, words,
                                 o.outputs[1]);
  }

  Matrix<Real> d = head.backward(head_pass, testing::copy(o.d_outputs[0]), pooled);
  testing::dropout(head_pass, config.dropout, kHeadDropout, d);
  stack.backward(nested.words(), words, ids, pooling.backward(nested.words(), d, words));
}

void expect_kept(const std::string& name, const TransformerEncoderConfig& config) {
  const TransformerEncoder prototype = small_model(config);
  const bool per_token = config.pooling == EncoderPooling::per_token;
  testing::Subject subject{
      .name = name,
      .parameters = testing::head_of_no_rows(testing::parameters_of(prototype)),
      .outputs = {{.name = "scores",
                   .axis = per_token ? Axis::rows : Axis::sequences,
                   .cols = kOutputs},
                  {.name = "word weights", .has_gradient = false}},
      .ids_below = kWords,
      .id_table = "embedding.words.weight",
      .probes = 3,
      .run = [prototype](Runtime& runtime, const Pass& pass, const Segments& words,
                         const Operands<float>& o) {
        TransformerEncoder model = prototype;
        testing::set_parameters(model, o);
        const std::vector<std::int32_t> ids = testing::int32s(*o.ids);
        const NestedPass nested = testing::nested_pass(pass, testing::sentences_by_ids(words, ids));
        const Arena::Scope scope(runtime.arena());
        TransformerEncoder::Saved saved;
        model.forward(runtime, nested, ids, o.outputs[0], saved);
        model.word_weights(runtime, nested, saved, flat(o.outputs[1]));
        model.backward(runtime, nested, o.d_outputs[0], ids, saved);
        testing::get_gradients(model, o);
      }};
  for (testing::Operand& parameter : subject.parameters) {
    parameter.shared = config.share_layers && parameter.name.starts_with("blocks.");
  }
  const std::vector<testing::Operand> names = subject.parameters;
  subject.set_reference([config, names]<class Real>(const Pass& pass, const Segments& words,
                                                    const Operands<Real>& o) {
    const testing::NamedParameters<Real> all(names, o);
    reference_run<Real>(config, all, pass, words, o);
  });
  expect_contract(subject);
}

// Dropout included: its draws belong to the document, not to its place in the batch.
TEST(TransformerEncoder, KeepsTheContract) {
  for (const auto& [name, config] : all_configs(0.25f)) expect_kept(name, config);
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

TEST(TransformerEncoder, ServesThreadsThatShareIt) {
  for (const auto& [name, config] : all_configs(0)) {
    SCOPED_TRACE(name);
    const TransformerEncoder model = small_model(config);
    const bool per_token = config.pooling == EncoderPooling::per_token;
    testing::expect_same_on_threads([&model, per_token](Runtime& runtime, std::size_t caller) {
      const Arena::Scope scope(runtime.arena());
      const testing::TextBatch batch = batch_of(random_texts(kDocuments, kWords, caller));
      const NestedPass pass(batch.nested);
      const std::size_t rows = per_token ? batch.ids.size() : batch.nested.documents().count();
      Matrix<float> scores(rows, kOutputs);
      TransformerEncoder::Saved saved;
      model.forward(runtime, pass, batch.ids, scores.view(), saved);
      return testing::numbers_of(scores);
    });
  }
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
    run(runtime, model, random_texts({{1}, {30, 35}}, kWords, 8));
    FAIL() << "was accepted";
  } catch (const ValueError& error) {
    EXPECT_STREQ(error.what(),
                 "TransformerEncoder: a sequence has 65 words, expected at most 64 (max_length): "
                 "cut it before, as the tokenizer's max_words does");
  }
}

}  // namespace
}  // namespace padless
