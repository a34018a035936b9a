#include "padless/layers/linear.h"

#include <cmath>

namespace padless {
namespace {

Matrix<float> glorot(std::size_t rows, std::size_t cols, Rng& rng) {
  const double bound = std::sqrt(6.0 / static_cast<double>(rows + cols));
  Matrix<float> drawn(rows, cols);
  for (float& cell : drawn.cells()) {
    cell = static_cast<float>((2 * rng.uniform() - 1) * bound);
  }
  return drawn;
}

}  // namespace

Linear::Linear(std::size_t in, std::size_t out, Rng& rng)
    : weight_(glorot(out, in, rng)), bias_(1, out) {}

void Linear::forward(Runtime& runtime, const Pass& pass, MatrixView<const float> x,
                     MatrixView<float> y) const {
  const auto packed = packed_.get(runtime, weight_, PackedWeights::Gives::outputs);
  linear_forward(runtime, pass, x, *packed, bias_.value.cells(), y);
}

void Linear::backward(Runtime& runtime, const Pass& pass, MatrixView<const float> d_y,
                      MatrixView<const float> x, MatrixView<float> d_x) {
  if (d_x.cols() > 0) {
    const auto packed = packed_.get(runtime, weight_, PackedWeights::Gives::inputs);
    linear_backward_input(runtime, pass, d_y, *packed, d_x);
  }
  linear_backward_weight(runtime, pass, d_y, x, weight_.gradient.view(), bias_.gradient.cells());
}

}  // namespace padless
