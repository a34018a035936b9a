// Numbers a second that dropout decides on one thread, by the width of a row; with a dropout of 0,
// which copies, for comparison.
#include "padless/ops/dropout.h"

#include <benchmark/benchmark.h>

#include <cstddef>

#include "padless/core/rng.h"

namespace padless {
namespace {

void dropout(benchmark::State& state, float p) {
  constexpr std::size_t kRows = 512;
  const auto width = static_cast<std::size_t>(state.range(0));
  Runtime runtime;
  Rng rng(1);
  const Matrix<float> x = rng.normal(kRows, width, 1);
  Matrix<float> out(kRows, width);
  for (auto _ : state) {
    dropout_forward(runtime, {.training = true}, p, 0, x.view(), out.view());
    benchmark::ClobberMemory();
  }
  state.counters["numbers/s"] = benchmark::Counter(static_cast<double>(kRows * width),
                                                   benchmark::Counter::kIsIterationInvariantRate);
}

BENCHMARK_CAPTURE(dropout, 0, 0.0f)->ArgNames({"C"})->Arg(64)->Arg(100)->Arg(384);
BENCHMARK_CAPTURE(dropout, 0.1, 0.1f)->ArgNames({"C"})->Arg(64)->Arg(100)->Arg(384);

}  // namespace
}  // namespace padless
