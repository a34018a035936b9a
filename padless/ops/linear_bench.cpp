// GFLOP/s of the linear op on one thread, weights packed and hot, and the fraction of what this
// core's fused multiply-adds can do at most, measured in the same run (of_peak; its "/s" is the
// tool's).
#include "padless/ops/linear.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "padless/core/rng.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace padless {
namespace {

#if defined(__x86_64__)
// NOLINTBEGIN(bugprone-macro-parentheses): types and names of functions take none.
// Enough independent chains to hide the latency of a multiply-add on every port there is. The
// empty asm keeps them in registers, and keeps the compiler from seeing through the loop.
#define PADLESS_PEAK(name, isa, vector, zero, fma, chains)     \
  __attribute__((target(isa))) void name(std::size_t rounds) { \
    vector acc[chains];                                        \
    for (vector & chain : acc) chain = zero();                 \
    const vector factor = zero();                              \
    for (std::size_t r = 0; r < rounds; ++r) {                 \
      _Pragma("GCC unroll 24") for (vector & chain : acc) {    \
        chain = fma(chain, factor, factor);                    \
        asm volatile("" : "+v"(chain));                        \
      }                                                        \
    }                                                          \
  }
PADLESS_PEAK(multiply_add_avx2, "avx2,fma", __m256, _mm256_setzero_ps, _mm256_fmadd_ps, 12)
PADLESS_PEAK(multiply_add_avx512, "avx512f", __m512, _mm512_setzero_ps, _mm512_fmadd_ps, 24)
#undef PADLESS_PEAK
// NOLINTEND(bugprone-macro-parentheses)
#endif

/// The most floating-point operations a second that one thread can do with an instruction set's
/// multiply-adds, the best of some runs; 0 where it is not known.
double measure_peak(Isa isa) {
  double best = 0;
#if defined(__x86_64__)
  if (isa == Isa::scalar) return 0;
  constexpr std::size_t kRounds = 200000;
  const bool wide = isa == Isa::avx512;
  const double operations = 2.0 * kRounds * (wide ? 24 * 16 : 12 * 8);
  for (int run = 0; run < 50; ++run) {
    const auto start = std::chrono::steady_clock::now();
    wide ? multiply_add_avx512(kRounds) : multiply_add_avx2(kRounds);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    best = std::max(best, operations / took.count());
  }
#else
  static_cast<void>(isa);
#endif
  return best;
}

double peak() {
  static const double measured = measure_peak(default_isa());
  return measured;
}

enum class Which { forward, input, weight };

void linear(benchmark::State& state, Which which) {
  const auto m = static_cast<std::size_t>(state.range(0));
  const auto n = static_cast<std::size_t>(state.range(1));
  const auto k = static_cast<std::size_t>(state.range(2));
  const double best = peak();
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
