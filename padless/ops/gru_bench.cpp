// Tokens a second of a GRU both ways over a batch of sentences, the product with the input weights
// included: long-tailed lengths, equal lengths, and the long-tailed ones padded to the longest,
// where the rows of padding are computed and not counted.
#include "padless/ops/gru.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "padless/core/rng.h"

namespace padless {
namespace {

using Gives = PackedWeights::Gives;

constexpr std::size_t kSentences = 160;
constexpr std::size_t kMean = 20;

// Log-normal, the mean about kMean, the longest about five times that.
std::vector<std::size_t> long_tailed() {
  Rng rng(1);
  std::vector<std::size_t> lengths(kSentences);
  for (std::size_t& length : lengths) {
    length = 1 + static_cast<std::size_t>(std::exp(2.75 + 0.65 * rng.normal()));
  }
  return lengths;
}

struct Sizes {
  std::size_t in, hidden, threads;
};

/// Both directions of a GRU over `lengths`.
class BothWays {
 public:
  BothWays(const Sizes& sizes, GruReset reset, const std::vector<std::size_t>& lengths)
      : runtime_({.threads = sizes.threads, .isa = {}}),
        reset_(reset),
        segs_(Segments::from_lengths(std::span(lengths))),
        rng_(2),
        x_(rng_.normal(segs_.total(), sizes.in, 1)),
        d_out_(rng_.normal(segs_.total(), 2 * sizes.hidden, 1)),
        w_(rng_.normal(6 * sizes.hidden, sizes.in, 0.1)),
        u_(rng_.normal(3 * sizes.hidden, sizes.hidden, 0.1)),
        bias_(1, 6 * sizes.hidden),
        gates_(segs_.total(), 6 * sizes.hidden),
        hidden_(segs_.total(), 2 * sizes.hidden),
        out_(segs_.total(), 2 * sizes.hidden),
        d_gates_(segs_.total(), 6 * sizes.hidden),
        d_x_(segs_.total(), sizes.in),
        d_w_(6 * sizes.hidden, sizes.in),
        d_u_(3 * sizes.hidden, sizes.hidden),
        packed_w_(runtime_, w_view(), Gives::outputs),
        packed_w_back_(runtime_, w_view(), Gives::inputs),
        gates_pack_(runtime_, rows_of_h(), Gives::outputs),
        gates_pack_back_(runtime_, rows_of_h(), Gives::inputs),
        candidate_pack_(runtime_, rows_of_n(), Gives::outputs),
        candidate_pack_back_(runtime_, rows_of_n(), Gives::inputs) {}

  void forward() {
    linear_forward(runtime_, {}, x_.view(), packed_w_, bias_.cells(), gates_.view());
    const std::size_t width = d_u_.cols();
    std::vector<GruForward> directions;
    for (const std::size_t d : {0u, 1u}) {
      directions.push_back({.reversed = d == 1,
                            .weights = {&gates_pack_, &candidate_pack_},
                            .recurrent_bias = bias_.cells().first(3 * width),
                            .gates = gates_.view().cols_at(d * 3 * width, 3 * width),
                            .hidden = hidden_.view().cols_at(d * width, width),
                            .out = out_.view().cols_at(d * width, width)});
    }
    gru_forward(runtime_, {}, reset_, segs_, directions);
  }

  void backward() {
    const std::size_t width = d_u_.cols();
    std::vector<GruBackward> directions;
    for (const std::size_t d : {0u, 1u}) {
      directions.push_back({.reversed = d == 1,
                            .weights = {&gates_pack_back_, &candidate_pack_back_},
                            .d_out = d_out_.view().cols_at(d * width, width),
                            .gates = gates_.view().cols_at(d * 3 * width, 3 * width),
                            .hidden = hidden_.view().cols_at(d * width, width),
                            .out = out_.view().cols_at(d * width, width),
                            .d_gates = d_gates_.view().cols_at(d * 3 * width, 3 * width),
                            .d_recurrent_weight = d_u_.view(),
                            .d_recurrent_bias = bias_.cells().first(3 * width)});
    }
    gru_backward(runtime_, {}, reset_, segs_, directions);
    linear_backward_input(runtime_, {}, d_gates_.view(), packed_w_back_, d_x_.view());
    linear_backward_weight(runtime_, {}, d_gates_.view(), x_.view(), d_w_.view(), {});
  }

  const float* result() const { return out_.data(); }

 private:
  MatrixView<const float> w_view() { return w_.view(); }
  MatrixView<const float> rows_of_h() {
    const std::size_t width = u_.cols();
    return u_.view().rows_at(0, (reset_ == GruReset::after ? 3 : 2) * width);
  }
  MatrixView<const float> rows_of_n() { return u_.view().rows_at(2 * u_.cols(), u_.cols()); }

  Runtime runtime_;
  GruReset reset_;
  Segments segs_;
  Rng rng_;
  Matrix<float> x_, d_out_, w_, u_, bias_, gates_, hidden_, out_, d_gates_, d_x_, d_w_, d_u_;
  PackedWeights packed_w_, packed_w_back_, gates_pack_, gates_pack_back_, candidate_pack_,
      candidate_pack_back_;
};

enum class Lengths { long_tailed, equal, padded };

void gru(benchmark::State& state, GruReset reset, Lengths kind, bool backward) {
  const Sizes sizes{static_cast<std::size_t>(state.range(0)),
                    static_cast<std::size_t>(state.range(1)),
                    static_cast<std::size_t>(state.range(2))};
  std::vector<std::size_t> lengths = long_tailed();
  if (kind == Lengths::equal) lengths.assign(kSentences, kMean);
  std::size_t tokens = 0;
  for (const std::size_t length : lengths) tokens += length;
  if (kind == Lengths::padded) lengths.assign(kSentences, *std::ranges::max_element(lengths));
  BothWays both(sizes, reset, lengths);
  for (auto _ : state) {
    both.forward();
    if (backward) both.backward();
    benchmark::DoNotOptimize(both.result());
  }
  state.counters["tokens/s"] =
      benchmark::Counter(static_cast<double>(tokens) * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate);
}

void sizes(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"in", "hidden", "threads"})->UseRealTime()->Unit(benchmark::kMillisecond);
  for (const std::int64_t threads : {1, 2}) {
    bench->Args({200, 50, threads});
    bench->Args({64, 32, threads});
  }
}

BENCHMARK_CAPTURE(gru, after / forward / long_tailed, GruReset::after, Lengths::long_tailed, false)
    ->Apply(sizes);
BENCHMARK_CAPTURE(gru, after / forward / equal, GruReset::after, Lengths::equal, false)
    ->Apply(sizes);
BENCHMARK_CAPTURE(gru, after / forward / padded, GruReset::after, Lengths::padded, false)
    ->Apply(sizes);
BENCHMARK_CAPTURE(gru, after / training / long_tailed, GruReset::after, Lengths::long_tailed, true)
    ->Apply(sizes);
BENCHMARK_CAPTURE(gru, after / training / equal, GruReset::after, Lengths::equal, true)
    ->Apply(sizes);
BENCHMARK_CAPTURE(gru, after / training / padded, GruReset::after, Lengths::padded, true)
    ->Apply(sizes);
BENCHMARK_CAPTURE(gru, before / forward / long_tailed, GruReset::before, Lengths::long_tailed,
                  false)
    ->Apply(sizes);
BENCHMARK_CAPTURE(gru, before / training / long_tailed, GruReset::before, Lengths::long_tailed,
                  true)
    ->Apply(sizes);

}  // namespace
}  // namespace padless
