// Tokens a second of attention pooling, forward and backward: long-tailed lengths, equal lengths,
// and the long-tailed ones padded to the longest, whose rows of padding are computed, not counted.
#include "padless/ops/attention_pool.h"

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "padless/core/rng.h"
#include "padless/testing/lengths.h"

namespace padless {
namespace {

enum class Lengths { long_tailed, equal, padded };

void attention_pool(benchmark::State& state, Lengths kind, bool backward) {
  const auto width = static_cast<std::size_t>(state.range(0));
  const std::vector<std::size_t> real = testing::long_tailed_lengths(200, 20);
  std::vector<std::size_t> lengths = real;
  if (kind == Lengths::equal) lengths = testing::equal_lengths(real);
  if (kind == Lengths::padded) lengths = testing::padded_lengths(real);
  const Segments segs = Segments::from_lengths(std::span<const std::size_t>(lengths));
  const std::size_t tokens =
      kind == Lengths::padded ? Segments::from_lengths(std::span<const std::size_t>(real)).total()
                              : segs.total();

  Runtime runtime;
  Rng rng(1);
  const Matrix<float> x = rng.normal(segs.total(), width, 1),
                      scores = rng.normal(1, segs.total(), 1),
                      d_out = rng.normal(segs.count(), width, 1);
  Matrix<float> out(segs.count(), width), weights(1, segs.total()), d_x(segs.total(), width),
      d_scores(1, segs.total());
  for (auto _ : state) {
    attention_pool_forward(runtime, {}, x.view(), scores.cells(), segs, out.view(),
                           weights.cells());
    if (backward) {
      attention_pool_backward(runtime, {}, d_out.view(), x.view(), weights.cells(), segs,
                              d_x.view(), d_scores.cells());
    }
    benchmark::ClobberMemory();
  }
  state.counters["tokens/s"] = benchmark::Counter(static_cast<double>(tokens),
                                                  benchmark::Counter::kIsIterationInvariantRate);
}

void widths(benchmark::internal::Benchmark* bench) { bench->ArgNames({"C"})->Arg(100)->Arg(384); }

BENCHMARK_CAPTURE(attention_pool, forward / long_tailed, Lengths::long_tailed, false)
    ->Apply(widths);
BENCHMARK_CAPTURE(attention_pool, forward / equal, Lengths::equal, false)->Apply(widths);
BENCHMARK_CAPTURE(attention_pool, forward / padded, Lengths::padded, false)->Apply(widths);
BENCHMARK_CAPTURE(attention_pool, training / long_tailed, Lengths::long_tailed, true)
    ->Apply(widths);
BENCHMARK_CAPTURE(attention_pool, training / equal, Lengths::equal, true)->Apply(widths);
BENCHMARK_CAPTURE(attention_pool, training / padded, Lengths::padded, true)->Apply(widths);

}  // namespace
}  // namespace padless
