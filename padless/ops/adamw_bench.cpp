// Numbers a second of an optimiser's step and of the gradient's norm, over a HAN's parameters: a
// table of words and a few matrices. AdamW's step reads and writes 32 bytes a number, SGD's 24.
#include "padless/ops/adamw.h"

#include <benchmark/benchmark.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "padless/core/rng.h"
#include "padless/ops/sgd.h"

namespace padless {
namespace {

struct Model {
  std::vector<Parameter> parameters;
  std::vector<Matrix<float>> first, second;
  std::vector<Parameter*> list;
  std::size_t numbers = 0;

  Model() {
    constexpr std::pair<std::size_t, std::size_t> kShapes[] = {
        {20000, 100}, {300, 100}, {300, 100}, {100, 100}, {1, 100}};
    for (const auto& [rows, cols] : kShapes) {
      parameters.emplace_back(Rng(1).normal(rows, cols, 0.1));
      parameters.back().gradient = Rng(2).normal(rows, cols, 0.1);
      first.emplace_back(rows, cols);
      second.emplace_back(rows, cols);
      numbers += rows * cols;
    }
    for (Parameter& parameter : parameters) list.push_back(&parameter);
  }
};

void count(benchmark::State& state, const Model& model) {
  state.counters["numbers/s"] = benchmark::Counter(static_cast<double>(model.numbers),
                                                   benchmark::Counter::kIsIterationInvariantRate);
}

void adamw_step(benchmark::State& state) {
  Model model;
  Runtime runtime({.threads = static_cast<std::size_t>(state.range(0)), .isa = {}});
  const AdamWStep step = {.learning_rate = 1e-3};
  for (auto _ : state) adamw_update(runtime, step, model.list, model.first, model.second);
  count(state, model);
}

void sgd_step(benchmark::State& state) {
  Model model;
  Runtime runtime({.threads = static_cast<std::size_t>(state.range(0)), .isa = {}});
  const SgdStep step = {.learning_rate = 1e-3};
  for (auto _ : state) sgd_update(runtime, step, model.list, model.first);
  count(state, model);
}

void norm(benchmark::State& state) {
  Model model;
  Runtime runtime({.threads = static_cast<std::size_t>(state.range(0)), .isa = {}});
  for (auto _ : state) benchmark::DoNotOptimize(gradient_norm(runtime, model.list));
  count(state, model);
}

BENCHMARK(adamw_step)->ArgName("threads")->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK(sgd_step)->ArgName("threads")->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK(norm)->ArgName("threads")->Arg(1)->Arg(2)->UseRealTime();

}  // namespace
}  // namespace padless
