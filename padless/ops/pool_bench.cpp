// Tokens a second of pooling on one thread, forward and backward, by kind: long-tailed lengths,
// equal ones, and the long-tailed ones padded to the longest, whose pads are computed, not counted.
#include "padless/ops/pool.h"

#include <benchmark/benchmark.h>

#include <cstddef>
#include <span>
#include <vector>

#include "padless/core/rng.h"
#include "padless/testing/lengths.h"

namespace padless {
namespace {

enum class Lengths { long_tailed, equal, padded };

void pool(benchmark::State& state, PoolKind kind, Lengths company) {
  constexpr std::size_t kWidth = 100;
  const std::vector<std::size_t> real = testing::long_tailed_lengths(200, 20);
  std::vector<std::size_t> lengths = real;
  if (company == Lengths::equal) lengths = testing::equal_lengths(real);
  if (company == Lengths::padded) lengths = testing::padded_lengths(real);
  const auto& counted = company == Lengths::padded ? real : lengths;
  const Segments segs = Segments::from_lengths(std::span<const std::size_t>(lengths));
  Runtime runtime;
  Rng rng(1);
  const Matrix<float> x = rng.normal(segs.total(), kWidth, 1),
                      d_out = rng.normal(segs.count(), kWidth, 1);
  Matrix<float> out(segs.count(), kWidth), d_x(segs.total(), kWidth);
  for (auto _ : state) {
    pool_forward(runtime, {}, kind, x.view(), segs, out.view());
    pool_backward(runtime, {}, kind, d_out.view(), x.view(), segs, d_x.view());
    benchmark::ClobberMemory();
  }
  const std::size_t tokens = Segments::from_lengths(std::span<const std::size_t>(counted)).total();
  state.counters["tokens/s"] = benchmark::Counter(static_cast<double>(tokens),
                                                  benchmark::Counter::kIsIterationInvariantRate);
}

BENCHMARK_CAPTURE(pool, mean / long_tailed, PoolKind::mean, Lengths::long_tailed);
BENCHMARK_CAPTURE(pool, mean / equal, PoolKind::mean, Lengths::equal);
BENCHMARK_CAPTURE(pool, mean / padded, PoolKind::mean, Lengths::padded);
BENCHMARK_CAPTURE(pool, max / long_tailed, PoolKind::max, Lengths::long_tailed);
BENCHMARK_CAPTURE(pool, log_sum_exp / long_tailed, PoolKind::log_sum_exp, Lengths::long_tailed);

}  // namespace
}  // namespace padless
