// Tokens a second of additive attention's scores: a tanh an element and a sum a row. Lengths matter
// to nothing but the rows there are: long-tailed ones, equal ones, and the long-tailed ones padded
// to the longest, whose rows of padding are computed, not counted.
#include "padless/ops/additive_scores.h"

#include <benchmark/benchmark.h>

#include <cstddef>
#include <numeric>
#include <vector>

#include "padless/core/rng.h"
#include "padless/testing/lengths.h"

namespace padless {
namespace {

enum class Lengths { long_tailed, equal, padded };

std::size_t sum(const std::vector<std::size_t>& lengths) {
  return std::accumulate(lengths.begin(), lengths.end(), std::size_t{0});
}

void additive_scores(benchmark::State& state, Lengths kind, bool backward) {
  const auto width = static_cast<std::size_t>(state.range(0));
  const std::vector<std::size_t> real = testing::long_tailed_lengths(200, 20);
  const std::size_t equal = sum(testing::equal_lengths(real));
  const std::size_t tokens = kind == Lengths::equal ? equal : sum(real);
  const std::size_t rows = kind == Lengths::padded ? sum(testing::padded_lengths(real)) : tokens;
  Runtime runtime;
  Rng rng(1);
  const Matrix<float> h = rng.normal(rows, width, 1), context = rng.normal(1, width, 1),
                      d_scores = rng.normal(1, rows, 1);
  Matrix<float> u(rows, width), scores(1, rows), d_h(rows, width), d_context(1, width);
  for (auto _ : state) {
    additive_scores_forward(runtime, {}, h.view(), context.cells(), u.view(), scores.cells());
    if (backward) {
      additive_scores_backward(runtime, {}, d_scores.cells(), u.view(), context.cells(), d_h.view(),
                               d_context.cells());
    }
    benchmark::ClobberMemory();
  }
  state.counters["tokens/s"] = benchmark::Counter(static_cast<double>(tokens),
                                                  benchmark::Counter::kIsIterationInvariantRate);
}

void widths(benchmark::internal::Benchmark* bench) { bench->ArgName("A")->Arg(100)->Arg(384); }

BENCHMARK_CAPTURE(additive_scores, forward / long_tailed, Lengths::long_tailed, false)
    ->Apply(widths);
BENCHMARK_CAPTURE(additive_scores, forward / equal, Lengths::equal, false)->Apply(widths);
BENCHMARK_CAPTURE(additive_scores, forward / padded, Lengths::padded, false)->Apply(widths);
BENCHMARK_CAPTURE(additive_scores, training / long_tailed, Lengths::long_tailed, true)
    ->Apply(widths);
BENCHMARK_CAPTURE(additive_scores, training / equal, Lengths::equal, true)->Apply(widths);
BENCHMARK_CAPTURE(additive_scores, training / padded, Lengths::padded, true)->Apply(widths);

}  // namespace
}  // namespace padless
