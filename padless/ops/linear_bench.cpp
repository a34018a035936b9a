// GFLOP/s of the linear op on one thread, weights packed and hot, and the fraction of what this
// core's fused multiply-adds can do at most, measured in the same run (of_peak; its "/s" is the
// tool's).
#include "padless/ops/linear.h"

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <utility>

#include "padless/core/rng.h"
#include "padless/testing/peak.h"

namespace padless {
namespace {

enum class Which { forward, input, weight };

void linear(benchmark::State& state, Which which) {
  const auto m = static_cast<std::size_t>(state.range(0));
  const auto n = static_cast<std::size_t>(state.range(1));
  const auto k = static_cast<std::size_t>(state.range(2));
  const double best = testing::peak();
  Runtime runtime;
  Rng rng(1);
  const Matrix<float> x = rng.normal(m, k, 1), w = rng.normal(n, k, 1), bias = rng.normal(1, n, 1),
                      d_y = rng.normal(m, n, 1);
  Matrix<float> y(m, n), d_x(m, k), d_w(n, k);
  const PackedWeights outputs(runtime, w.view(), PackedWeights::Gives::outputs);
  const PackedWeights inputs(runtime, w.view(), PackedWeights::Gives::inputs);
  for (auto _ : state) {
    switch (which) {
      case Which::forward:
        linear_forward(runtime, {}, x.view(), outputs, bias.cells(), y.view());
        break;
      case Which::input:
        linear_backward_input(runtime, {}, d_y.view(), inputs, d_x.view());
        break;
      case Which::weight:
        linear_backward_weight(runtime, {}, d_y.view(), x.view(), d_w.view(), {});
        break;
    }
    benchmark::ClobberMemory();
  }
  using benchmark::Counter;
  const double operations = 2.0 * static_cast<double>(m * n * k);
  state.counters["FLOP/s"] = Counter(operations, Counter::kIsIterationInvariantRate);
  if (best > 0) {
    state.counters["of_peak"] = Counter(operations / best, Counter::kIsIterationInvariantRate);
  }
}

void shapes(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"M", "N", "K"});
  for (const auto& [n, k] :
       {std::pair<std::int64_t, std::int64_t>{384, 384}, {1536, 384}, {150, 200}, {100, 100}}) {
    for (const std::int64_t m : {1, 5, 17, 64, 200, 1024}) bench->Args({m, n, k});
  }
}

BENCHMARK_CAPTURE(linear, forward, Which::forward)->Apply(shapes);
BENCHMARK_CAPTURE(linear, backward_input, Which::input)->Apply(shapes);
BENCHMARK_CAPTURE(linear, backward_weight, Which::weight)->Apply(shapes);

}  // namespace
}  // namespace padless
