#include "padless/models/transformer_seq2seq.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "padless/core/error.h"
#include "padless/testing/bits.h"
#include "padless/testing/contract.h"
#include "padless/testing/model_inputs.h"
#include "padless/testing/reference_layers.h"

namespace padless {
namespace {

using Ids = std::vector<std::int32_t>;

constexpr std::size_t kSourceWords = 11, kTargetWords = 13;

TransformerSeq2SeqConfig small_config() {
  return {.source_vocabulary = kSourceWords,
          .target_vocabulary = kTargetWords,
          .begin = 11,
          .end = 12,
          .width = 12,
          .encoder_layers = 2,
          .decoder_layers = 2,
          .heads = 4,
          .feed_forward = 17,
          .max_length = 40,
          .dropout = 0};
}

/// Configurations that between them use every part.
std::map<std::string, TransformerSeq2SeqConfig> all_configs(float dropout) {
  std::map<std::string, TransformerSeq2SeqConfig> all;
  TransformerSeq2SeqConfig config = small_config();
  config.dropout = dropout;
  all["pre, learned"] = config;
  config.norm = NormKind::rms;
  config.gated = true;
  config.key_heads = 2;
  config.positions = Positions::alibi;
  all["rms, gated, alibi"] = config;
  config = small_config();
  config.dropout = dropout;
  config.norm_place = NormPlace::post;
  config.head_width = 4;
  config.positions = Positions::rope;
  config.activation = Activation::relu;
  all["post, rope"] = config;
  config.positions = Positions::sinusoidal;
  all["post, sinusoidal"] = config;
  return all;
}

TransformerSeq2Seq small_model(const TransformerSeq2SeqConfig& config) {
  Rng rng(3);
  TransformerSeq2Seq model(config, rng);
  testing::draw_zeros(model, rng);
  return model;
}

struct Pair {
  Ids source, target;
  std::uint64_t number = 0;
};

std::vector<Pair> random_pairs(const std::vector<std::pair<std::size_t, std::size_t>>& lengths,
                               std::uint64_t seed) {
  Rng rng(seed);
  std::vector<Pair> pairs;
  for (const auto& [source, target] : lengths) {
    Pair pair{.source = Ids(source), .target = Ids(target), .number = 50 + pairs.size()};
    for (std::int32_t& id : pair.source) id = static_cast<std::int32_t>(rng.below(kSourceWords));
    for (std::int32_t& id : pair.target) id = static_cast<std::int32_t>(rng.below(11));
    pairs.push_back(pair);
  }
  return pairs;
}

// Usual, long, an empty source, an empty target, both empty, single words.
const std::vector<std::pair<std::size_t, std::size_t>> kLengths = {{3, 5}, {33, 39}, {0, 4}, {6, 0},
                                                                   {0, 0}, {1, 1},   {9, 2}};

struct Batch {
  Segments sources;
  Ids source_ids;
  ShiftedTargets targets;
  std::vector<std::uint64_t> numbers;
};

Batch batch_of(const std::vector<Pair>& pairs) {
  Batch batch;
  std::vector<std::size_t> sources, targets;
  Ids target_ids;
  for (const Pair& pair : pairs) {
    sources.push_back(pair.source.size());
    targets.push_back(pair.target.size());
    batch.source_ids.insert(batch.source_ids.end(), pair.source.begin(), pair.source.end());
    target_ids.insert(target_ids.end(), pair.target.begin(), pair.target.end());
    batch.numbers.push_back(pair.number);
  }
  batch.sources = Segments::from_lengths(std::span<const std::size_t>(sources));
  batch.targets = ShiftedTargets::of(Segments::from_lengths(std::span<const std::size_t>(targets)),
                                     target_ids, 11, 12);
  return batch;
}

Matrix<float> upstream(const std::vector<Pair>& pairs) {
  std::size_t rows = 0, row = 0;
  for (const Pair& pair : pairs) rows += pair.target.size() + 1;
  Matrix<float> slopes(rows, kTargetWords);
  for (const Pair& pair : pairs) {
    Rng rng(pair.number);
    for (std::size_t r = 0; r <= pair.target.size(); ++r, ++row) {
      for (float& cell : slopes.row(row)) cell = static_cast<float>(rng.normal());
    }
  }
  return slopes;
}

struct Results {
  std::vector<float> scores;
  std::map<std::string, std::vector<float>> gradients;
};

Results run(Runtime& runtime, TransformerSeq2Seq model, const std::vector<Pair>& pairs) {
  const Batch batch = batch_of(pairs);
  const PairPass pass(batch.sources, batch.targets.segs, 7, 2, 4, batch.numbers);
  const Arena::Scope scope(runtime.arena());
  const Matrix<float> d_scores = upstream(pairs);
  Matrix<float> scores(d_scores.rows(), kTargetWords);
  TransformerSeq2Seq::Saved saved;
  model.forward(runtime, pass, batch.source_ids, batch.targets.ids, scores.view(), saved);
  model.backward(runtime, pass, d_scores.view(), batch.source_ids, batch.targets.ids, saved);
  Results results;
  results.scores.assign(scores.cells().begin(), scores.cells().end());
  model.for_each_parameter([&results](const std::string& name, Parameter& parameter) {
    const auto cells = parameter.gradient.cells();
    results.gradients[name].assign(cells.begin(), cells.end());
  });
  return results;
}

void expect_same(const Results& found, const Results& expected) {
  testing::expect_same_bits(found.scores, expected.scores, "scores");
  for (const auto& [name, gradient] : expected.gradients) {
    testing::expect_same_bits(found.gradients.at(name), gradient, name);
  }
}

TEST(ShiftedTargets, PutBeginBeforeAndEndBehind) {
  const std::vector<std::size_t> lengths = {2, 0};
  const ShiftedTargets shifted = ShiftedTargets::of(
      Segments::from_lengths(std::span<const std::size_t>(lengths)), Ids{4, 5}, 8, 9);
  EXPECT_EQ(shifted.ids, (Ids{8, 4, 5, 8}));
  EXPECT_EQ(shifted.labels, (Ids{4, 5, 9, 9}));
  EXPECT_EQ(shifted.segs.length(0), 3u);
  EXPECT_EQ(shifted.segs.length(1), 1u);
}

TEST(TransformerSeq2Seq, GivesTheSameBitsOnEveryInstructionSetAndNumberOfThreads) {
  for (const auto& [name, config] : all_configs(0.25f)) {
    SCOPED_TRACE(name);
    const TransformerSeq2Seq model = small_model(config);
    const std::vector<Pair> pairs = random_pairs(kLengths, 1);
    Runtime scalar({.threads = 1, .isa = Isa::scalar});
    const Results expected = run(scalar, model, pairs);
    testing::for_each_runtime(
        [&](Runtime& runtime) { expect_same(run(runtime, model, pairs), expected); });
  }
}

TEST(TransformerSeq2Seq, APairDoesNotSeeItsNeighbours) {
  for (const auto& [name, config] : all_configs(0.25f)) {
    SCOPED_TRACE(name);
    const TransformerSeq2Seq model = small_model(config);
    const std::vector<Pair> pairs = random_pairs(kLengths, 2);
    testing::for_each_runtime([&](Runtime& runtime) {
      const Results whole = run(runtime, model, pairs);
      std::size_t begin = 0;
      for (const Pair& pair : pairs) {
        const Results alone = run(runtime, model, {pair});
        testing::expect_same_bits(alone.scores,
                                  std::span(whole.scores).subspan(begin, alone.scores.size()));
        begin += alone.scores.size();
      }
      const std::vector<Pair> reversed(pairs.rbegin(), pairs.rend());
      const Results turned = run(runtime, model, reversed);
      const std::size_t last = (pairs.back().target.size() + 1) * kTargetWords;
      testing::expect_same_bits(std::span(turned.scores).first(last),
                                std::span(whole.scores).last(last));
    });
  }
}

TEST(TransformerSeq2Seq, AWordDoesNotSeeThoseBehindIt) {
  const TransformerSeq2Seq model = small_model(small_config());
  std::vector<Pair> pairs = random_pairs({{4, 9}}, 3);
  Runtime runtime;
  const Results before = run(runtime, model, pairs);
  pairs[0].target[6] = (pairs[0].target[6] + 1) % 11;
  const Results after = run(runtime, model, pairs);
  // Row 7 is the first that reads it.
  testing::expect_same_bits(std::span(after.scores).first(7 * kTargetWords),
                            std::span(before.scores).first(7 * kTargetWords));
  EXPECT_NE(after.scores[7 * kTargetWords], before.scores[7 * kTargetWords]);
}

TEST(TransformerSeq2Seq, WithoutDropoutTrainingAndInferenceGiveTheSameBits) {
  for (const auto& [name, config] : all_configs(0)) {
    SCOPED_TRACE(name);
    const TransformerSeq2Seq model = small_model(config);
    const std::vector<Pair> pairs = random_pairs(kLengths, 4);
    Runtime runtime;
    const Results training = run(runtime, model, pairs);
    const Batch batch = batch_of(pairs);
    const PairPass pass(batch.sources, batch.targets.segs);
    Matrix<float> scores(batch.targets.ids.size(), kTargetWords);
    TransformerSeq2Seq::Saved saved;
    model.forward(runtime, pass, batch.source_ids, batch.targets.ids, scores.view(), saved);
    testing::expect_same_bits(scores.cells(), training.scores);
  }
}

// Word by word, with what was computed before remembered: the bits of teacher forcing.
TEST(TransformerSeq2Seq, WritingWithTheCacheGivesTheBitsOfTeacherForcing) {
  for (const auto& [name, config] : all_configs(0)) {
    SCOPED_TRACE(name);
    const TransformerSeq2Seq model = small_model(config);
    const std::vector<Pair> pairs = random_pairs(kLengths, 5);
    const Batch batch = batch_of(pairs);
    testing::for_each_runtime([&](Runtime& runtime) {
      const Results whole = run(runtime, model, pairs);
      DecoderCache cache = model.start(runtime, batch.sources, batch.source_ids);
      for (std::size_t step = 0; step < 40; ++step) {
        std::vector<std::size_t> lengths, rows;
        Ids ids;
        for (std::size_t b = 0; b < pairs.size(); ++b) {
          const auto [begin, end] = batch.targets.segs[b];
          lengths.push_back(begin + step < end ? 1 : 0);
          if (begin + step < end) rows.push_back(begin + step);
          if (begin + step < end) ids.push_back(batch.targets.ids[begin + step]);
        }
        Matrix<float> scores(ids.size(), kTargetWords);
        model.extend(runtime, Segments::from_lengths(std::span<const std::size_t>(lengths)), ids,
                     cache, scores.view());
        for (std::size_t r = 0; r < rows.size(); ++r) {
          testing::expect_same_bits(
              std::as_const(scores).row(r),
              std::span(whole.scores).subspan(rows[r] * kTargetWords, kTargetWords));
        }
      }
    });
  }
}

TEST(TransformerSeq2Seq, ACopiedCacheOutlivesWhatItWasCopiedFrom) {
  const TransformerSeq2Seq model = small_model(all_configs(0).begin()->second);
  const std::vector<Pair> pairs = random_pairs(kLengths, 6);
  const Batch batch = batch_of(pairs);
  const Segments segs = Segments::from_lengths(
      std::span<const std::size_t>(std::vector<std::size_t>(pairs.size(), 1)));
  const Ids ids(pairs.size(), 2);
  Runtime runtime;
  Matrix<float> expected(pairs.size(), kTargetWords), found = expected;
  DecoderCache copy;
  {
    DecoderCache cache = model.start(runtime, batch.sources, batch.source_ids);
    copy = cache;
    model.extend(runtime, segs, ids, cache, expected.view());
  }
  model.extend(runtime, segs, ids, copy, found.view());
  testing::expect_same_bits(found.cells(), expected.cells());
}

TEST(TransformerSeq2Seq, RefusesTheCacheOfAnotherModel) {
  const TransformerSeq2Seq model = small_model(all_configs(0).begin()->second);
  Runtime runtime;
  DecoderCache cache;
  EXPECT_THROW(model.extend(runtime, Segments(), {}, cache, {nullptr, 0, kTargetWords}),
               ShapeError);
}

// Greedy decoding as its definition says it: the whole target so far, again for each word.
Ids slow_greedy(Runtime& runtime, const TransformerSeq2Seq& model, const Ids& source) {
  Ids target;
  while (target.size() < model.config().max_length) {
    const Arena::Scope scope(runtime.arena());
    const Batch batch = batch_of({Pair{.source = source, .target = target}});
    const PairPass pass(batch.sources, batch.targets.segs);
    Matrix<float> scores(target.size() + 1, kTargetWords);
    TransformerSeq2Seq::Saved saved;
    model.forward(runtime, pass, batch.source_ids, batch.targets.ids, scores.view(), saved);
    const auto last = std::as_const(scores).row(target.size());
    const auto best = std::ranges::max_element(last) - last.begin();
    if (best == 12) break;
    target.push_back(static_cast<std::int32_t>(best));
  }
  return target;
}

TEST(TransformerSeq2Seq, GreedyDecodingIsItsDefinitionAndASourceDoesNotSeeItsNeighbours) {
  for (const auto& [name, config] : all_configs(0)) {
    SCOPED_TRACE(name);
    const TransformerSeq2Seq model = small_model(config);
    const std::vector<Pair> pairs = random_pairs(kLengths, 6);
    const Batch batch = batch_of(pairs);
    Runtime runtime;
    const auto all = model.decode(runtime, batch.sources, batch.source_ids);
    const auto beams = model.decode(runtime, batch.sources, batch.source_ids, {.beams = 3});
    for (std::size_t b = 0; b < pairs.size(); ++b) {
      ASSERT_EQ(all[b].size(), 1u);
      EXPECT_EQ(all[b][0].ids, slow_greedy(runtime, model, pairs[b].source));
      const Batch alone = batch_of({pairs[b]});
      const auto own = model.decode(runtime, alone.sources, alone.source_ids, {.beams = 3});
      ASSERT_EQ(own[0].size(), beams[b].size());
      for (std::size_t i = 0; i < own[0].size(); ++i) {
        EXPECT_EQ(own[0][i].ids, beams[b][i].ids);
        EXPECT_EQ(own[0][i].log_probability, beams[b][i].log_probability);
      }
    }
    EXPECT_TRUE(model.decode(runtime, Segments(), {}).empty());
  }
}

// The best of the beams is at least as likely as what greedy decoding finds, and its probability
// is what teacher forcing gives it.
TEST(TransformerSeq2Seq, BeamsKnowTheProbabilityOfWhatTheyWrite) {
  const TransformerSeq2Seq model = small_model(small_config());
  Runtime runtime;
  const Batch batch = batch_of(random_pairs({{5, 0}}, 7));
  const auto all =
      model.decode(runtime, batch.sources, batch.source_ids, {.beams = 4, .max_length = 6});
  ASSERT_EQ(all[0].size(), 4u);
  for (const Decoded& found : all[0]) {
    const Batch told = batch_of({Pair{.source = batch.source_ids, .target = found.ids}});
    const PairPass pass(told.sources, told.targets.segs);
    Matrix<float> scores(found.ids.size() + 1, kTargetWords);
    TransformerSeq2Seq::Saved saved;
    model.forward(runtime, pass, told.source_ids, told.targets.ids, scores.view(), saved);
    double sum = 0;
    for (std::size_t r = 0; r < found.ids.size() + (found.ended ? 1 : 0); ++r) {
      double total = 0;
      for (const float score : scores.row(r)) total += std::exp(static_cast<double>(score));
      const auto label = static_cast<std::size_t>(told.targets.labels[r]);
      sum += static_cast<double>(scores(r, label)) - std::log(total);
    }
    EXPECT_NEAR(found.log_probability, sum, 1e-5);
  }
}

/// The model's definition in double, put together from those of its ops, forward alone.
class DoubleSeq2Seq {
 public:
  explicit DoubleSeq2Seq(TransformerSeq2Seq model) : config_(model.config()) {
    model.for_each_parameter([this](const std::string& name, Parameter& parameter) {
      Matrix<double> value(parameter.value.rows(), parameter.value.cols());
      std::ranges::copy(parameter.value.cells(), value.data());
      parameters.emplace(name, std::move(value));
    });
  }

  Matrix<double> scores(const std::vector<Pair>& pairs) const {
    testing::NamedParameters<double> all;
    for (const auto& [name, value] : parameters) all.add(name, value.view(), {});
    const Batch batch = batch_of(pairs);
    const BlockConfig block =
        config_.encoder().block.with_positions(config_.positions, config_.max_length);
    const bool post = block.norm_place == NormPlace::post;
    const Pass pass;
    const auto norm = [&](const std::string& name, const Matrix<double>& rows) {
      testing::ReferenceNorm<double> made{all, name, block.norm, static_cast<double>(block.epsilon),
                                          {},  {},   {}};
      return made.forward(rows);
    };

    Matrix<double> sources = testing::reference_embedding(all, config_.positions, batch.sources,
                                                          batch.source_ids, "encoder.embedding.");
    if (post) sources = norm("encoder.norm", sources);
    for (std::size_t l = 0; l < config_.encoder_layers; ++l) {
      testing::ReferenceEncoderBlock<double> layer(all, "encoder.blocks." + std::to_string(l) + ".",
                                                   block, 0);
      sources = layer.forward(pass, sources, batch.sources);
    }
    if (!post) sources = norm("encoder.norm", sources);

    Matrix<double> rows = testing::reference_embedding(all, config_.positions, batch.targets.segs,
                                                       batch.targets.ids, "decoder.embedding.");
    if (post) rows = norm("decoder.norm", rows);
    for (std::size_t l = 0; l < config_.decoder_layers; ++l) {
      testing::ReferenceDecoderBlock<double> layer(all, "decoder.blocks." + std::to_string(l) + ".",
                                                   block, Attend::causal(Align::bottom_right), 0);
      rows = layer.forward(pass, rows, batch.targets.segs, sources, batch.sources);
    }
    if (!post) rows = norm("decoder.norm", rows);
    return testing::ReferenceLinear<double>{all, "head"}.forward(rows);
  }

  std::map<std::string, Matrix<double>> parameters;

 private:
  TransformerSeq2SeqConfig config_;
};

double loss(const DoubleSeq2Seq& model, const std::vector<Pair>& pairs) {
  const Matrix<double> scores = model.scores(pairs);
  const Matrix<float> slopes = upstream(pairs);
  double sum = 0;
  for (std::size_t i = 0; i < slopes.cells().size(); ++i) {
    sum += scores.cells()[i] * static_cast<double>(slopes.cells()[i]);
  }
  return sum;
}

TEST(TransformerSeq2Seq, IsItsDefinitionInDoubleUpToRounding) {
  for (const auto& [name, config] : all_configs(0)) {
    SCOPED_TRACE(name);
    const TransformerSeq2Seq model = small_model(config);
    const std::vector<Pair> pairs = random_pairs(kLengths, 8);
    Runtime runtime;
    const Results results = run(runtime, model, pairs);
    const Matrix<double> truth = DoubleSeq2Seq(model).scores(pairs);
    for (std::size_t i = 0; i < results.scores.size(); ++i) {
      // Some hundred roundings lie one behind the other, of numbers near 1.
      EXPECT_NEAR(results.scores[i], truth.cells()[i], 100 * 6e-8);
    }
  }
}

TEST(TransformerSeq2Seq, GradientsAreThoseOfTheDefinition) {
  for (const auto& [name, config] : all_configs(0)) {
    SCOPED_TRACE(name);
    const TransformerSeq2Seq model = small_model(config);
    const std::vector<Pair> pairs = random_pairs({{3, 4}, {0, 2}, {1, 0}, {5, 3}}, 9);
    Runtime runtime;
    const Results results = run(runtime, model, pairs);
    // What flows back is rounded some hundred times on its way, in units of what flows at all.
    double largest = 0;
    for (const auto& [parameter, gradient] : results.gradients) {
      for (const float cell : gradient) largest = std::fmax(largest, std::fabs(cell));
    }
    const double tolerance = 100 * 6e-8 * largest;
    DoubleSeq2Seq truth(model);
    for (auto& [parameter, value] : truth.parameters) {
      const std::vector<float>& gradient = results.gradients.at(parameter);
      const std::size_t stride = 1 + value.cells().size() / 10;
      for (std::size_t i = 0; i < value.cells().size(); i += stride) {
        constexpr double kStep = 1e-5;
        double& cell = value.cells()[i];
        const double before = cell;
        cell = before + kStep;
        const double above = loss(truth, pairs);
        cell = before - kStep;
        const double below = loss(truth, pairs);
        cell = before;
        ASSERT_NEAR(gradient[i], (above - below) / (2 * kStep), tolerance)
            << parameter << ", element " << i;
      }
    }
  }
}

TEST(TransformerSeq2SeqConfig, CountsItsParameters) {
  for (const auto& [name, config] : all_configs(0)) {
    TransformerSeq2Seq model = small_model(config);
    std::size_t count = 0;
    model.for_each_parameter([&count](const std::string&, Parameter& parameter) {
      count += parameter.value.cells().size();
    });
    EXPECT_EQ(static_cast<double>(count), config.parameters()) << name;
  }
}

TEST(TransformerSeq2SeqConfig, RefusesSizesThatMakeNoModel) {
  const auto refused = [](auto change) {
    TransformerSeq2SeqConfig config = small_config();
    change(config);
    try {
      config.check();
    } catch (const ValueError&) {
      return true;
    }
    return false;
  };
  using Config = TransformerSeq2SeqConfig;
  EXPECT_FALSE(refused([](Config&) {}));
  EXPECT_TRUE(refused([](Config& c) { c.source_vocabulary = 0; }));
  EXPECT_TRUE(refused([](Config& c) { c.target_vocabulary = 12; }));
  EXPECT_TRUE(refused([](Config& c) { c.begin = -1; }));
  EXPECT_TRUE(refused([](Config& c) { c.encoder_layers = 0; }));
  EXPECT_TRUE(refused([](Config& c) { c.decoder_layers = 0; }));
  EXPECT_TRUE(refused([](Config& c) { c.heads = 5; }));
}

TEST(TransformerSeq2Seq, RefusesWhatIsTooLongAndWordsThatAreNotThere) {
  const TransformerSeq2Seq model = small_model(small_config());
  Runtime runtime;
  EXPECT_THROW(run(runtime, model, random_pairs({{3, 40}}, 1)), ValueError);
  EXPECT_THROW(run(runtime, model, random_pairs({{41, 4}}, 1)), ValueError);
  std::vector<Pair> pairs = random_pairs({{3, 4}}, 1);
  pairs[0].target[1] = kTargetWords;
  EXPECT_THROW(run(runtime, model, pairs), ValueError);
}

}  // namespace
}  // namespace padless
