#include "padless/layers/gru.h"

#include <cmath>
#include <memory>
#include <utility>

#include "padless/core/error.h"

namespace padless {
namespace {

using Gives = PackedWeights::Gives;

Parameter uniform(std::size_t rows, std::size_t cols, double bound, Rng& rng) {
  Matrix<float> drawn(rows, cols);
  for (float& cell : drawn.cells()) cell = static_cast<float>((2 * rng.uniform() - 1) * bound);
  return Parameter(std::move(drawn));
}

/// The columns of one unit: the forward one's, then the reversed one's.
template <class T>
MatrixView<T> half(MatrixView<T> both, std::size_t unit) {
  return both.cols_at(unit * (both.cols() / 2), both.cols() / 2);
}

}  // namespace

struct BiGru::Held {
  Held(Runtime& runtime, GruReset reset, const Recurrent& unit, Gives gives) {
    const std::size_t width = unit.weight.value.cols();
    if (reset == GruReset::after) {
      recurrent = unit.packed.get(runtime, unit.weight, gives);
    } else {
      recurrent = unit.packed.get(runtime, unit.weight, gives, {0, 2 * width});
      candidate = unit.packed_candidate.get(runtime, unit.weight, gives, {2 * width, 3 * width});
    }
  }
  GruWeights weights() const { return {recurrent.get(), candidate.get()}; }

  std::shared_ptr<const PackedWeights> recurrent, candidate;
};

BiGru::BiGru(std::size_t in, std::size_t hidden, GruReset reset, Rng& rng) : reset_(reset) {
  const double bound = 1 / std::sqrt(static_cast<double>(hidden));
  input_weight_ = uniform(6 * hidden, in, bound, rng);
  input_bias_ = uniform(1, 6 * hidden, bound, rng);
  for (Recurrent& unit : units_) {
    unit.weight = uniform(3 * hidden, hidden, bound, rng);
    unit.bias = uniform(1, 3 * hidden, bound, rng);
  }
}

void BiGru::forward(Runtime& runtime, const Pass& pass, MatrixView<const float> x,
                    const Segments& segs, MatrixView<float> out, Saved& saved) const {
  Arena& arena = runtime.arena();
  const Arena::Mark mark = arena.mark();
  saved = {.gates = arena.matrix(x.rows(), 6 * hidden()), .hidden = {}};
  if (pass.training && reset_ == GruReset::after) {
    saved.hidden = arena.matrix(x.rows(), 2 * hidden());
  }
  const auto packed = packed_input_.get(runtime, input_weight_, Gives::outputs);
  linear_forward(runtime, pass, x, *packed, input_bias_.value.cells(), saved.gates);

  const Held held[] = {{runtime, reset_, units_[0], Gives::outputs},
                       {runtime, reset_, units_[1], Gives::outputs}};
  GruForward directions[2];
  for (const std::size_t d : {0u, 1u}) {
    directions[d] = {.reversed = d == 1,
                     .weights = held[d].weights(),
                     .recurrent_bias = units_[d].bias.value.cells(),
                     .gates = half(saved.gates, d),
                     .hidden = half(saved.hidden, d),
                     .out = half(out, d)};
  }
  gru_forward(runtime, pass, reset_, segs, directions);
  if (pass.training) return;
  saved = {};
  arena.rewind(mark);
}

void BiGru::backward(Runtime& runtime, const Pass& pass, MatrixView<const float> d_out,
                     MatrixView<const float> x, const Segments& segs, MatrixView<const float> out,
                     const Saved& saved, MatrixView<float> d_x) {
  require_shape(saved.gates.rows() == x.rows(), "BiGru: forward saved ", saved.gates.rows(),
                " rows, expected ", x.rows(), " (it saves with pass.training alone)");
  const Arena::Scope scope(runtime.arena());
  const MatrixView<float> d_gates = runtime.arena().matrix(x.rows(), 6 * hidden());
  const Held held[] = {{runtime, reset_, units_[0], Gives::inputs},
                       {runtime, reset_, units_[1], Gives::inputs}};
  GruBackward directions[2];
  for (const std::size_t d : {0u, 1u}) {
    directions[d] = {.reversed = d == 1,
                     .weights = held[d].weights(),
                     .d_out = half(d_out, d),
                     .gates = half(saved.gates, d),
                     .hidden = half(saved.hidden, d),
                     .out = half(out, d),
                     .d_gates = half(d_gates, d),
                     .d_recurrent_weight = units_[d].weight.gradient.view(),
                     .d_recurrent_bias = units_[d].bias.gradient.cells()};
  }
  gru_backward(runtime, pass, reset_, segs, directions);

  const auto packed = packed_input_.get(runtime, input_weight_, Gives::inputs);
  linear_backward_input(runtime, pass, d_gates, *packed, d_x);
  linear_backward_weight(runtime, pass, d_gates, x, input_weight_.gradient.view(),
                         input_bias_.gradient.cells());
}

}  // namespace padless
