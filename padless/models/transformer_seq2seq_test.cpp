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
#include "padless/testing/layer_subject.h"
#include "padless/testing/model_inputs.h"
#include "padless/testing/reference_layers.h"
#include "padless/testing/reference_stacks.h"

namespace padless {
namespace {

using testing::Operands;

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

TEST(ShiftedTargets, PutBeginBeforeAndEndBehind) {
  const std::vector<std::size_t> lengths = {2, 0};
  const ShiftedTargets shifted = ShiftedTargets::of(
      Segments::from_lengths(std::span<const std::size_t>(lengths)), Ids{4, 5}, 8, 9);
  EXPECT_EQ(shifted.ids, (Ids{8, 4, 5, 8}));
  EXPECT_EQ(shifted.labels, (Ids{4, 5, 9, 9}));
  EXPECT_EQ(shifted.segs.length(0), 3u);
  EXPECT_EQ(shifted.segs.length(1), 1u);
}

/// The model's definition, put together from those of its layers. The contract's sequences are
/// what the decoder reads.
template <class Real>
void reference_run(const TransformerSeq2SeqConfig& config,
                   const testing::NamedParameters<Real>& all, const Pass& own, const Segments& segs,
                   const Operands<Real>& o) {
  const Ids source_ids = testing::int32s(*o.source_ids), ids = testing::int32s(*o.ids);
  const Segments& sources = *o.sources;
  const PairPass pass = testing::pair_pass(own, sources, segs);
  const std::uint32_t encoder_op = 0, decoder_op = EncoderStack::ops(config.encoder());
  testing::ReferenceEncoderStack<Real> encoder(all, "encoder.", config.encoder(), encoder_op);
  testing::ReferenceDecoderStack<Real> decoder(all, "decoder.", config.decoder(), decoder_op);
  const testing::ReferenceLinear<Real> head{all, "head"};

  const Matrix<Real> asked = encoder.forward(pass.source_pass(), sources, source_ids);
  const Matrix<Real> rows = decoder.forward(pass.target_pass(), segs, ids, asked, sources);
  testing::copy(head.forward(rows), o.outputs[0]);

  const Matrix<Real> d = head.backward(pass.target_pass(), testing::copy(o.d_outputs[0]), rows);
  encoder.backward(pass.source_pass(), sources, source_ids,
                   decoder.backward(pass.target_pass(), pass.source_pass(), segs, ids, d, sources));
}

void expect_kept(const std::string& name, TransformerSeq2SeqConfig config) {
  config.max_length = 64;
  const TransformerSeq2Seq prototype = small_model(config);
  testing::Subject subject{.name = name,
                           // Larger ones make some batches' gradients so badly conditioned that
                           // these few decide which float order is closer to the truth.
                           .parameters = testing::parameters_of(prototype, 0.3),
                           .outputs = {{.name = "scores", .cols = kTargetWords}},
                           .ids_below = kTargetWords,
                           .source_ids_below = kSourceWords,
                           .id_table = "decoder.embedding.words.weight",
                           .source_id_table = "encoder.embedding.words.weight",
                           .probes = 1,
                           .run = [prototype](Runtime& runtime, const Pass& own,
                                              const Segments& segs, const Operands<float>& o) {
                             TransformerSeq2Seq model = prototype;
                             testing::set_parameters(model, o);
                             const Ids source_ids = testing::int32s(*o.source_ids),
                                       ids = testing::int32s(*o.ids);
                             const PairPass pass = testing::pair_pass(own, *o.sources, segs);
                             const Arena::Scope scope(runtime.arena());
                             TransformerSeq2Seq::Saved saved;
                             model.forward(runtime, pass, source_ids, ids, o.outputs[0], saved);
                             model.backward(runtime, pass, o.d_outputs[0], source_ids, ids, saved);
                             testing::get_gradients(model, o);
                           }};
  const std::vector<testing::Operand> names = subject.parameters;
  subject.set_reference(
      [config, names]<class Real>(const Pass& pass, const Segments& segs, const Operands<Real>& o) {
        const testing::NamedParameters<Real> all(names, o);
        reference_run<Real>(config, all, pass, segs, o);
      });
  expect_contract(subject);
}

TEST(TransformerSeq2Seq, KeepsTheContract) {
  for (const auto& [name, config] : all_configs(0.25f)) expect_kept(name, config);
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

TEST(TransformerSeq2Seq, WhatIsRefusedLeavesTheCacheAsItWas) {
  const TransformerSeq2Seq model = small_model(small_config());
  const Batch batch = batch_of(random_pairs({{3, 0}, {5, 0}}, 8));
  const Segments two = Segments::from_lengths(std::vector<std::size_t>{1, 1});
  Runtime runtime;
  DecoderCache cache = model.start(runtime, batch.sources, batch.source_ids), fresh = cache;
  const auto extend = [&](DecoderCache& of, const Ids& ids, std::size_t cols) {
    Matrix<float> scores(2, cols);
    model.extend(runtime, two, ids, of, scores.view());
    return scores;
  };
  extend(cache, {2, 3}, kTargetWords);
  extend(fresh, {2, 3}, kTargetWords);
  // Found last, when every layer has its rows.
  EXPECT_THROW(extend(cache, {4, 5}, kTargetWords + 1), ShapeError);
  EXPECT_THROW(extend(cache, {4, kTargetWords}, kTargetWords), ValueError);
  EXPECT_EQ(cache.length(0), 1u);
  EXPECT_EQ(cache.length(1), 1u);
  testing::expect_same_bits(extend(cache, {6, 7}, kTargetWords).cells(),
                            extend(fresh, {6, 7}, kTargetWords).cells());
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
