#include "padless/layers/layer_norm.h"

#include <algorithm>

#include "padless/ops/layer_norm.h"
#include "padless/ops/norm_checks.h"

namespace padless {

LayerNorm::LayerNorm(std::size_t width, float epsilon)
    : weight_(1, width), bias_(1, width), epsilon_(epsilon) {
  require_width("LayerNorm", weight_.value.view());
  require_epsilon("LayerNorm", epsilon);
  std::ranges::fill(weight_.value.cells(), 1.0f);
}

void LayerNorm::forward(Runtime& runtime, const Pass& pass, MatrixView<const float> x,
                        MatrixView<float> y, Saved& saved) const {
  saved.mean = runtime.arena().take<float>(x.rows());
  saved.rstd = runtime.arena().take<float>(x.rows());
  layer_norm_forward(runtime, pass, x, weight_.value.cells(), bias_.value.cells(), epsilon_, y,
                     saved.mean, saved.rstd);
}

void LayerNorm::backward(Runtime& runtime, const Pass& pass, MatrixView<const float> d_y,
                         MatrixView<const float> x, const Saved& saved, MatrixView<float> d_x) {
  // The weights first: d_x may be d_y.
  layer_norm_backward_weight(runtime, pass, d_y, x, saved.mean, saved.rstd,
                             weight_.gradient.cells(), bias_.gradient.cells());
  layer_norm_backward_input(runtime, pass, d_y, x, weight_.value.cells(), saved.mean, saved.rstd,
                            d_x);
}

}  // namespace padless
