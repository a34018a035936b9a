// Tokens a second of positions, on one thread: rotary ones of 12 heads of 32 columns, and ones that
// are added to rows of as many. Long-tailed lengths and equal lengths.
#include "padless/ops/rope.h"

#include <benchmark/benchmark.h>

#include <cstddef>
#include <span>
#include <vector>

#include "padless/core/rng.h"
#include "padless/ops/position_embedding.h"
#include "padless/testing/lengths.h"

namespace padless {
namespace {

constexpr std::size_t kHeads = 12, kHeadWidth = 32, kWidth = kHeads * kHeadWidth;

Segments segments(bool equal) {
  std::vector<std::size_t> lengths = testing::long_tailed_lengths(32, 50);
  if (equal) lengths = testing::equal_lengths(lengths);
  return Segments::from_lengths(std::span<const std::size_t>(lengths));
}

void count_tokens(benchmark::State& state, const Segments& segs) {
  state.counters["tokens/s"] = benchmark::Counter(static_cast<double>(segs.total()),
                                                  benchmark::Counter::kIsIterationInvariantRate);
}

void rope(benchmark::State& state, RotaryPairing pairing, bool equal) {
  const Segments segs = segments(equal);
  Runtime runtime;
  const RotaryTable table(segs.longest(), kHeadWidth, pairing);
  Matrix<float> x = Rng(1).normal(segs.total(), kWidth, 1);
  for (auto _ : state) {
    rope_forward(runtime, {}, table, kHeads, x.view(), segs, {}, x.view());
    benchmark::ClobberMemory();
  }
  count_tokens(state, segs);
}

void position_embedding(benchmark::State& state, bool backward, bool equal) {
  const Segments segs = segments(equal);
  Runtime runtime;
  Rng rng(1);
  const Matrix<float> table = rng.normal(segs.longest(), kWidth, 1),
                      x = rng.normal(segs.total(), kWidth, 1);
  Matrix<float> y(segs.total(), kWidth), d_table(segs.longest(), kWidth);
  for (auto _ : state) {
    position_embedding_forward(runtime, {}, table.view(), segs, {}, x.view(), y.view());
    if (backward) {
      position_embedding_backward(runtime, {}, segs, {}, x.view(), d_table.view());
    }
    benchmark::ClobberMemory();
  }
  count_tokens(state, segs);
}

BENCHMARK_CAPTURE(rope, interleaved / long_tailed, RotaryPairing::interleaved, false);
BENCHMARK_CAPTURE(rope, interleaved / equal, RotaryPairing::interleaved, true);
BENCHMARK_CAPTURE(rope, halves / long_tailed, RotaryPairing::halves, false);
BENCHMARK_CAPTURE(rope, halves / equal, RotaryPairing::halves, true);
BENCHMARK_CAPTURE(position_embedding, forward / long_tailed, false, false);
BENCHMARK_CAPTURE(position_embedding, forward / equal, false, true);
BENCHMARK_CAPTURE(position_embedding, training / long_tailed, true, false);
BENCHMARK_CAPTURE(position_embedding, training / equal, true, true);

}  // namespace
}  // namespace padless
