// Numbers a second of what adds or multiplies two matrices in place, rows as wide as a
// Transformer's (residual) and as its feed-forward (product). Lengths play no part: an element is
// one rounding.
#include <benchmark/benchmark.h>

#include <cstddef>

#include "padless/core/rng.h"
#include "padless/ops/product.h"
#include "padless/ops/residual.h"

namespace padless {
namespace {

using Op = void (*)(Runtime&, const Pass&, MatrixView<const float>, MatrixView<float>);

void elementwise(benchmark::State& state, Op op, std::size_t width, float x_value) {
  constexpr std::size_t kRows = 1000;
  Runtime runtime;
  Matrix<float> x(kRows, width), y = Rng(1).normal(kRows, width, 1);
  fill(x.view(), x_value);
  for (auto _ : state) {
    op(runtime, {}, x.view(), y.view());
    benchmark::ClobberMemory();
  }
  state.counters["numbers/s"] = benchmark::Counter(static_cast<double>(kRows * width),
                                                   benchmark::Counter::kIsIterationInvariantRate);
}

// What leaves y as it is, so that no number overflows or becomes subnormal, however often it runs.
BENCHMARK_CAPTURE(elementwise, residual, add_to, 384, 0.0f);
BENCHMARK_CAPTURE(elementwise, product, multiply_by, 1536, 1.0f);

}  // namespace
}  // namespace padless
