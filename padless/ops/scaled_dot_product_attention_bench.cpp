// Real tokens a second of attention over padded arrays, 12 heads of 32 columns, on one thread: a
// batch of long-tailed lengths, one of equal lengths, and the long-tailed one without its mask,
// where pads are computed like words. ops/attention_bench.cpp has the same without the padded door.
#include "padless/ops/scaled_dot_product_attention.h"

#include <benchmark/benchmark.h>

#include <cstddef>
#include <span>
#include <vector>

#include "padless/batch/segments.h"
#include "padless/core/rng.h"
#include "padless/testing/lengths.h"

namespace padless {
namespace {

void padded_attention(benchmark::State& state, bool equal, bool masked) {
  constexpr std::size_t kHeads = 12, kHeadWidth = 32;
  std::vector<std::size_t> lengths = testing::long_tailed_lengths(8, 50);
  if (equal) lengths = testing::equal_lengths(lengths);
  const Segments segs = Segments::from_lengths(std::span<const std::size_t>(lengths));
  const std::size_t batch = segs.count(), slots = segs.longest();
  const Matrix<float> x = Rng(1).normal(batch * kHeads * slots, kHeadWidth, 1);
  const FloatArray array = {x.cells(), {batch, kHeads, slots, kHeadWidth}};
  const PaddedMask mask = masked ? PaddedMask(KeepMask::from_segments(segs, slots)) : PaddedMask();
  Runtime runtime;
  for (auto _ : state) {
    benchmark::DoNotOptimize(scaled_dot_product_attention(runtime, array, array, array, mask));
  }
  state.counters["tokens/s"] = benchmark::Counter(static_cast<double>(segs.total()),
                                                  benchmark::Counter::kIsIterationInvariantRate);
}

BENCHMARK_CAPTURE(padded_attention, long_tailed, false, true);
BENCHMARK_CAPTURE(padded_attention, equal, true, true);
BENCHMARK_CAPTURE(padded_attention, long_tailed_without_mask, false, false);

}  // namespace
}  // namespace padless
