// Attention of 12 heads on one thread, forward and training (forward and backward). By lengths:
// FLOP/s and the fraction of what this core can do at most (of_peak; its "/s" is the tool's).
// On long-tailed lengths, on equal ones, and on the long-tailed ones padded to the longest: tokens
// a second, where pads are computed, not counted.
#include "padless/ops/attention.h"

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "padless/core/rng.h"
#include "padless/testing/lengths.h"
#include "padless/testing/peak.h"

namespace padless {
namespace {

constexpr std::size_t kHeads = 12;

/// Runs attention over these lengths; returns the floating-point operations of one forward.
double measure(benchmark::State& state, const std::vector<std::size_t>& lengths, std::size_t width,
               bool backward) {
  const Segments segs = Segments::from_lengths(std::span<const std::size_t>(lengths));
  const std::size_t rows = segs.total(), cols = kHeads * width;
  Runtime runtime;
  Rng rng(1);
  const Matrix<float> q = rng.normal(rows, cols, 1), k = rng.normal(rows, cols, 1),
                      v = rng.normal(rows, cols, 1), d_out = rng.normal(rows, cols, 1);
  Matrix<float> out(rows, cols), top(rows, kHeads), sum = top, d_q = out, d_k = out, d_v = out;
  const AttentionOptions options{.heads = kHeads};
  const AttentionStats stats{top.view(), sum.view()};
  for (auto _ : state) {
    attention_forward(runtime, {}, options, q.view(), segs, k.view(), v.view(), segs, out.view(),
                      stats);
    if (backward) {
      attention_backward(runtime, {}, options, d_out.view(), q.view(), segs, k.view(), v.view(),
                         segs, out.view(), stats, {d_q.view(), d_k.view(), d_v.view()});
    }
    benchmark::ClobberMemory();
  }
  double operations = 0;
  for (const std::size_t n : lengths) operations += 4.0 * static_cast<double>(n * n * cols);
  return operations;
}

void by_length(benchmark::State& state, bool backward) {
  constexpr std::size_t kTokens = 2048;
  const auto length = static_cast<std::size_t>(state.range(0));
  const double best = testing::peak();
  double operations = measure(state, std::vector<std::size_t>(kTokens / length, length),
                              static_cast<std::size_t>(state.range(1)), backward);
  // Backward: scores again, and the gradients of weights, queries, keys and values.
  if (backward) operations *= 1 + 2.5;
  using benchmark::Counter;
  state.counters["FLOP/s"] = Counter(operations, Counter::kIsIterationInvariantRate);
  if (best > 0) {
    state.counters["of_peak"] = Counter(operations / best, Counter::kIsIterationInvariantRate);
  }
}

void lengths(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"N", "D"});
  for (const std::int64_t width : {32, 64}) {
    for (const std::int64_t n : {8, 16, 24, 48, 128, 512, 2048}) bench->Args({n, width});
  }
}

BENCHMARK_CAPTURE(by_length, forward, false)->Apply(lengths);
BENCHMARK_CAPTURE(by_length, training, true)->Apply(lengths);

enum class Lengths { long_tailed, equal, padded };

void by_company(benchmark::State& state, Lengths kind, bool backward) {
  const std::vector<std::size_t> real = testing::long_tailed_lengths(50, 40);
  std::vector<std::size_t> chosen = real;
  if (kind == Lengths::equal) chosen = testing::equal_lengths(real);
  if (kind == Lengths::padded) chosen = testing::padded_lengths(real);
  const auto& counted = kind == Lengths::padded ? real : chosen;
  measure(state, chosen, 32, backward);
  const std::size_t tokens = Segments::from_lengths(std::span<const std::size_t>(counted)).total();
  state.counters["tokens/s"] = benchmark::Counter(static_cast<double>(tokens),
                                                  benchmark::Counter::kIsIterationInvariantRate);
}

BENCHMARK_CAPTURE(by_company, forward / long_tailed, Lengths::long_tailed, false);
BENCHMARK_CAPTURE(by_company, forward / equal, Lengths::equal, false);
BENCHMARK_CAPTURE(by_company, forward / padded, Lengths::padded, false);
BENCHMARK_CAPTURE(by_company, training / long_tailed, Lengths::long_tailed, true);
BENCHMARK_CAPTURE(by_company, training / equal, Lengths::equal, true);
BENCHMARK_CAPTURE(by_company, training / padded, Lengths::padded, true);

}  // namespace
}  // namespace padless
