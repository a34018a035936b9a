// Tokens a second of rotary positions, on one thread: 12 heads of 32 columns.
#include "padless/ops/rope.h"

#include <benchmark/benchmark.h>

#include <vector>

#include "padless/core/rng.h"
#include "padless/testing/lengths.h"

namespace padless {
namespace {

void rope(benchmark::State& state, RotaryPairing pairing) {
  const Segments segs = Segments::from_lengths(testing::long_tailed_lengths(32, 50));
  Runtime runtime;
  const RotaryTable table(segs.longest(), 32, pairing);
  Matrix<float> x = Rng(1).normal(segs.total(), 384, 1);
  for (auto _ : state) {
    rope_forward(runtime, {}, table, 12, x.view(), segs, {}, x.view());
    benchmark::ClobberMemory();
  }
  state.counters["tokens/s"] = benchmark::Counter(static_cast<double>(segs.total()),
                                                  benchmark::Counter::kIsIterationInvariantRate);
}

BENCHMARK_CAPTURE(rope, interleaved, RotaryPairing::interleaved);
BENCHMARK_CAPTURE(rope, halves, RotaryPairing::halves);

}  // namespace
}  // namespace padless
