#include "padless/layers/rms_norm.h"

#include <algorithm>

#include "padless/ops/norm_checks.h"
#include "padless/ops/rms_norm.h"

namespace padless {

RmsNorm::RmsNorm(std::size_t width, float epsilon) : weight_(1, width), epsilon_(epsilon) {
  require_width("RmsNorm", weight_.value.view());
  require_epsilon("RmsNorm", epsilon);
  std::ranges::fill(weight_.value.cells(), 1.0f);
}

void RmsNorm::forward(Runtime& runtime, const Pass& pass, MatrixView<const float> x,
                      MatrixView<float> y, Saved& saved) const {
  saved.rstd = runtime.arena().take<float>(x.rows());
  rms_norm_forward(runtime, pass, x, weight_.value.cells(), epsilon_, y, saved.rstd);
}

void RmsNorm::backward(Runtime& runtime, const Pass& pass, MatrixView<const float> d_y,
                       MatrixView<const float> x, const Saved& saved, MatrixView<float> d_x) {
  // The weight first: d_x may be d_y.
  rms_norm_backward_weight(runtime, pass, d_y, x, saved.rstd, weight_.gradient.cells());
  rms_norm_backward_input(runtime, pass, d_y, x, weight_.value.cells(), saved.rstd, d_x);
}

}  // namespace padless
