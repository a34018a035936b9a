// Numbers a second of the activations on one thread, rows as wide as a feed-forward layer.
#include "padless/ops/activation.h"

#include <benchmark/benchmark.h>

#include <cstddef>

#include "padless/core/rng.h"

namespace padless {
namespace {

void activation(benchmark::State& state, Activation kind, bool backward) {
  constexpr std::size_t kRows = 100, kWidth = 1536;
  Runtime runtime;
  Rng rng(1);
  const Matrix<float> x = rng.normal(kRows, kWidth, 1), d_y = rng.normal(kRows, kWidth, 1);
  Matrix<float> y(kRows, kWidth);
  for (auto _ : state) {
    if (backward) {
      activation_backward(runtime, {}, kind, d_y.view(), x.view(), y.view());
    } else {
      activation_forward(runtime, {}, kind, x.view(), y.view());
    }
    benchmark::ClobberMemory();
  }
  state.counters["numbers/s"] =
      benchmark::Counter(kRows * kWidth, benchmark::Counter::kIsIterationInvariantRate);
}

BENCHMARK_CAPTURE(activation, relu_forward, Activation::relu, false);
BENCHMARK_CAPTURE(activation, gelu_forward, Activation::gelu, false);
BENCHMARK_CAPTURE(activation, gelu_backward, Activation::gelu, true);
BENCHMARK_CAPTURE(activation, gelu_tanh_forward, Activation::gelu_tanh, false);
BENCHMARK_CAPTURE(activation, gelu_tanh_backward, Activation::gelu_tanh, true);
BENCHMARK_CAPTURE(activation, silu_forward, Activation::silu, false);
BENCHMARK_CAPTURE(activation, silu_backward, Activation::silu, true);
BENCHMARK_CAPTURE(activation, tanh_forward, Activation::tanh, false);
BENCHMARK_CAPTURE(activation, sigmoid_forward, Activation::sigmoid, false);

}  // namespace
}  // namespace padless
