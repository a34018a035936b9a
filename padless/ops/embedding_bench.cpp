// Tokens a second of looking rows up and of the table's gradient. Ids are drawn as words are: the
// share of the k-th most frequent is about 1 / k.
#include "padless/ops/embedding.h"

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "padless/batch/shards.h"
#include "padless/core/rng.h"

namespace padless {
namespace {

constexpr std::size_t kVocabulary = 30000;

std::vector<std::int32_t> words(std::size_t count) {
  Rng rng(1);
  std::vector<std::int32_t> ids(count);
  for (std::int32_t& id : ids) {
    id = static_cast<std::int32_t>(std::pow(double{kVocabulary}, rng.uniform())) - 1;
  }
  return ids;
}

void embedding(benchmark::State& state, bool backward) {
  const auto rows = static_cast<std::size_t>(state.range(0));
  const auto width = static_cast<std::size_t>(state.range(1));
  const std::vector<std::int32_t> ids = words(rows);
  const Segments tokens = Segments::from_lengths(std::vector<std::size_t>(rows, 1));
  const Shards shards = Shards::of_items(tokens, 8);
  const Pass pass = {.training = true, .shards = &shards};
  Runtime runtime;
  Matrix<float> table = Rng(2).normal(kVocabulary, width, 1), d_table(kVocabulary, width);
  Matrix<float> out(rows, width);
  for (auto _ : state) {
    if (backward) {
      embedding_backward(runtime, pass, ids, out.view(), d_table.view());
    } else {
      embedding_forward(runtime, pass, table.view(), ids, out.view());
    }
    benchmark::ClobberMemory();
  }
  state.counters["tokens/s"] =
      benchmark::Counter(static_cast<double>(rows), benchmark::Counter::kIsIterationInvariantRate);
}

void sizes(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"T", "C"})->Args({4000, 100})->Args({4000, 384})->Args({500, 100});
}

BENCHMARK_CAPTURE(embedding, forward, false)->Apply(sizes);
BENCHMARK_CAPTURE(embedding, backward, true)->Apply(sizes);

}  // namespace
}  // namespace padless
