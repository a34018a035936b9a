#pragma once

#include <cstddef>
#include <span>

#include "padless/batch/pass.h"
#include "padless/core/export.h"
#include "padless/core/matrix.h"
#include "padless/core/parameter.h"
#include "padless/core/runtime.h"

namespace padless {

/// Layer normalisation with a scale and a shift for each column; see ops/layer_norm.h.
class PADLESS_API LayerNorm {
 public:
  /// What forward leaves for backward, in the runtime's arena.
  struct Saved {
    std::span<float> mean, rstd;  ///< [T]
  };

  /// Rows of `width` numbers; weight 1, bias 0. Throws ShapeError for a width of 0, ValueError
  /// unless epsilon is a finite number above 0.
  explicit LayerNorm(std::size_t width, float epsilon = 1e-5f);

  std::size_t width() const { return weight_.value.cols(); }
  float epsilon() const { return epsilon_; }

  /// x [T, C] -> y [T, C] (written).
  void forward(Runtime& runtime, const Pass& pass, MatrixView<const float> x, MatrixView<float> y,
               Saved& saved) const;
  /// d_y [T, C], x [T, C] -> d_x [T, C] (written; may be d_y); adds to the gradients of weight and
  /// bias.
  void backward(Runtime& runtime, const Pass& pass, MatrixView<const float> d_y,
                MatrixView<const float> x, const Saved& saved, MatrixView<float> d_x);

  /// Calls visit(name, parameter) for weight and bias.
  template <class Visit>
  void for_each_parameter(Visit&& visit) {
    visit("weight", weight_);
    visit("bias", bias_);
  }

 private:
  Parameter weight_, bias_;
  float epsilon_;
};

}  // namespace padless
