// Tokens a second of additive attention's scores: a tanh an element and a sum a row.
#include "padless/ops/additive_scores.h"

#include <benchmark/benchmark.h>

#include <cstddef>

#include "padless/core/rng.h"

namespace padless {
namespace {

void additive_scores(benchmark::State& state, bool backward) {
  constexpr std::size_t kRows = 4000;
  const auto width = static_cast<std::size_t>(state.range(0));
  Runtime runtime;
  Rng rng(1);
  const Matrix<float> h = rng.normal(kRows, width, 1), context = rng.normal(1, width, 1),
                      d_scores = rng.normal(1, kRows, 1);
  Matrix<float> u(kRows, width), scores(1, kRows), d_h(kRows, width), d_context(1, width);
  for (auto _ : state) {
    additive_scores_forward(runtime, {}, h.view(), context.cells(), u.view(), scores.cells());
    if (backward) {
      additive_scores_backward(runtime, {}, d_scores.cells(), u.view(), context.cells(), d_h.view(),
                               d_context.cells());
    }
    benchmark::ClobberMemory();
  }
  state.counters["tokens/s"] =
      benchmark::Counter(kRows, benchmark::Counter::kIsIterationInvariantRate);
}

BENCHMARK_CAPTURE(additive_scores, forward, false)->ArgName("A")->Arg(100)->Arg(384);
BENCHMARK_CAPTURE(additive_scores, training, true)->ArgName("A")->Arg(100)->Arg(384);

}  // namespace
}  // namespace padless
