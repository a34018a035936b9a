// Rows a second of the losses on one thread, forward and backward.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "padless/core/rng.h"
#include "padless/ops/binary_cross_entropy.h"
#include "padless/ops/huber.h"
#include "padless/ops/mean_squared_error.h"
#include "padless/ops/softmax_cross_entropy.h"

namespace padless {
namespace {

constexpr std::size_t kRows = 1024;

void count_rows(benchmark::State& state) {
  state.counters["rows/s"] =
      benchmark::Counter(static_cast<double>(kRows), benchmark::Counter::kIsIterationInvariantRate);
}

void softmax_cross_entropy(benchmark::State& state) {
  const auto classes = static_cast<std::size_t>(state.range(0));
  Runtime runtime;
  Rng rng(1);
  const Matrix<float> logits = rng.normal(kRows, classes, 1);
  std::vector<std::int32_t> labels(kRows);
  for (auto& label : labels) label = static_cast<std::int32_t>(rng.below(classes));
  Matrix<float> probabilities(kRows, classes), d_logits = probabilities;
  for (auto _ : state) {
    softmax_cross_entropy_forward(runtime, {}, logits.view(), labels, {}, probabilities.view());
    softmax_cross_entropy_backward(runtime, {}, probabilities.view(), labels, {}, 1.0f / kRows,
                                   d_logits.view());
    benchmark::ClobberMemory();
  }
  count_rows(state);
}
BENCHMARK(softmax_cross_entropy)->ArgNames({"K"})->Arg(2)->Arg(20)->Arg(1000);

void binary_cross_entropy(benchmark::State& state) {
  constexpr std::size_t kLabels = 20;
  Runtime runtime;
  Rng rng(1);
  const Matrix<float> logits = rng.normal(kRows, kLabels, 1);
  Matrix<std::int32_t> targets(kRows, kLabels);
  for (auto& target : targets.cells()) target = static_cast<std::int32_t>(rng.below(2));
  Matrix<float> d_logits(kRows, kLabels);
  for (auto _ : state) {
    binary_cross_entropy_forward(runtime, {}, logits.view(), targets.view(), {});
    binary_cross_entropy_backward(runtime, {}, logits.view(), targets.view(), {}, 1.0f / kRows,
                                  d_logits.view());
    benchmark::ClobberMemory();
  }
  count_rows(state);
}
BENCHMARK(binary_cross_entropy);

void mean_squared_error(benchmark::State& state) {
  Runtime runtime;
  Rng rng(1);
  const Matrix<float> predictions = rng.normal(1, kRows, 1), targets = rng.normal(1, kRows, 1);
  Matrix<float> d_predictions(1, kRows);
  for (auto _ : state) {
    mean_squared_error_forward(runtime, {}, predictions.cells(), targets.cells());
    mean_squared_error_backward(runtime, {}, predictions.cells(), targets.cells(), 1.0f / kRows,
                                d_predictions.cells());
    benchmark::ClobberMemory();
  }
  count_rows(state);
}
BENCHMARK(mean_squared_error);

void huber(benchmark::State& state) {
  Runtime runtime;
  Rng rng(1);
  const Matrix<float> predictions = rng.normal(1, kRows, 1), targets = rng.normal(1, kRows, 1);
  Matrix<float> d_predictions(1, kRows);
  for (auto _ : state) {
    huber_forward(runtime, {}, predictions.cells(), targets.cells(), 1);
    huber_backward(runtime, {}, predictions.cells(), targets.cells(), 1, 1.0f / kRows,
                   d_predictions.cells());
    benchmark::ClobberMemory();
  }
  count_rows(state);
}
BENCHMARK(huber);

}  // namespace
}  // namespace padless
