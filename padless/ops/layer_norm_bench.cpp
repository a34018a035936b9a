// Tokens a second of layer normalisation and root-mean-square normalisation, on one thread.
#include "padless/ops/layer_norm.h"

#include <benchmark/benchmark.h>

#include <cstddef>

#include "padless/core/rng.h"
#include "padless/ops/rms_norm.h"

namespace padless {
namespace {

constexpr std::size_t kRows = 1000;

struct Rows {
  Matrix<float> x, gamma, beta, d_y, y, d_x, mean, rstd, d_gamma, d_beta;

  explicit Rows(std::size_t width)
      : y(kRows, width),
        d_x(kRows, width),
        mean(1, kRows),
        rstd(1, kRows),
        d_gamma(1, width),
        d_beta(1, width) {
    Rng rng(1);
    x = rng.normal(kRows, width, 1);
    gamma = rng.normal(1, width, 1);
    beta = rng.normal(1, width, 1);
    d_y = rng.normal(kRows, width, 1);
  }
};

void count_tokens(benchmark::State& state) {
  state.counters["tokens/s"] =
      benchmark::Counter(kRows, benchmark::Counter::kIsIterationInvariantRate);
}

void layer_norm(benchmark::State& state, bool backward) {
  Rows r(static_cast<std::size_t>(state.range(0)));
  Runtime runtime;
  for (auto _ : state) {
    layer_norm_forward(runtime, {}, r.x.view(), r.gamma.cells(), r.beta.cells(), 1e-5f, r.y.view(),
                       r.mean.cells(), r.rstd.cells());
    if (backward) {
      layer_norm_backward_weight(runtime, {}, r.d_y.view(), r.x.view(), r.mean.cells(),
                                 r.rstd.cells(), r.d_gamma.cells(), r.d_beta.cells());
      layer_norm_backward_input(runtime, {}, r.d_y.view(), r.x.view(), r.gamma.cells(),
                                r.mean.cells(), r.rstd.cells(), r.d_x.view());
    }
    benchmark::ClobberMemory();
  }
  count_tokens(state);
}

void rms_norm(benchmark::State& state, bool backward) {
  Rows r(static_cast<std::size_t>(state.range(0)));
  Runtime runtime;
  for (auto _ : state) {
    rms_norm_forward(runtime, {}, r.x.view(), r.gamma.cells(), 1e-6f, r.y.view(), r.rstd.cells());
    if (backward) {
      rms_norm_backward_weight(runtime, {}, r.d_y.view(), r.x.view(), r.rstd.cells(),
                               r.d_gamma.cells());
      rms_norm_backward_input(runtime, {}, r.d_y.view(), r.x.view(), r.gamma.cells(),
                              r.rstd.cells(), r.d_x.view());
    }
    benchmark::ClobberMemory();
  }
  count_tokens(state);
}

void widths(benchmark::internal::Benchmark* bench) { bench->ArgName("C")->Arg(100)->Arg(384); }

BENCHMARK_CAPTURE(layer_norm, forward, false)->Apply(widths);
BENCHMARK_CAPTURE(layer_norm, training, true)->Apply(widths);
BENCHMARK_CAPTURE(rms_norm, forward, false)->Apply(widths);
BENCHMARK_CAPTURE(rms_norm, training, true)->Apply(widths);

}  // namespace
}  // namespace padless
