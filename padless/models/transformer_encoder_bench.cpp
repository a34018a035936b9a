// A training step of an encoder of six layers on texts of long-tailed lengths: by how many of its
// layers are frozen, and with blocks that are recomputed.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <span>
#include <vector>

#include "padless/models/transformer_encoder.h"
#include "padless/testing/lengths.h"

namespace padless {
namespace {

constexpr std::size_t kTexts = 48, kLayers = 6;

void train_step(benchmark::State& state) {
  Rng rng(1);
  TransformerEncoder model({.vocabulary = 1000,
                            .outputs = 8,
                            .width = 128,
                            .layers = kLayers,
                            .heads = 4,
                            .feed_forward = 512,
                            .frozen_blocks = static_cast<std::size_t>(state.range(0)),
                            .recompute = state.range(1) != 0},
                           rng);
  const std::vector<std::size_t> lengths = testing::long_tailed_lengths(kTexts, 40);
  const std::vector<std::size_t> one_sentence(kTexts, 1);
  const NestedSegments nested(Segments::from_lengths(std::span(one_sentence)),
                              Segments::from_lengths(std::span(lengths)));
  std::vector<std::int32_t> ids(nested.words().total());
  for (std::int32_t& id : ids) id = static_cast<std::int32_t>(rng.below(1000));
  const std::vector<std::uint64_t> numbers(kTexts, 0);
  const NestedPass pass(nested, 1, 0, 8, numbers);
  Matrix<float> scores(kTexts, 8);
  const Matrix<float> d_scores = rng.normal(kTexts, 8, 1);
  Runtime runtime;
  TransformerEncoder::Saved saved;
  for (auto _ : state) {
    const Arena::Scope scope(runtime.arena());
    model.forward(runtime, pass, ids, scores.view(), saved);
    model.backward(runtime, pass, d_scores.view(), ids, saved);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(ids.size()));
}

BENCHMARK(train_step)
    ->ArgNames({"frozen", "recompute"})
    ->Args({0, 0})
    ->Args({3, 0})
    ->Args({6, 0})
    ->Args({0, 1})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace padless
