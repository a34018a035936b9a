#pragma once

#include <cstddef>
#include <span>

#include "padless/batch/pass.h"
#include "padless/core/export.h"
#include "padless/core/matrix.h"
#include "padless/core/parameter.h"
#include "padless/core/runtime.h"

namespace padless {

/// Root-mean-square normalisation with a scale for each column; see ops/rms_norm.h.
class PADLESS_API RmsNorm {
 public:
  /// What forward leaves for backward, in the runtime's arena.
  struct Saved {
    std::span<float> rstd;  ///< [T]
  };

  /// Rows of `width` numbers; weight 1. Throws ShapeError for a width of 0, ValueError unless
  /// epsilon is a finite number above 0.
  explicit RmsNorm(std::size_t width, float epsilon = 1e-6f);

  std::size_t width() const { return weight_.value.cols(); }
  float epsilon() const { return epsilon_; }

  /// x [T, C] -> y [T, C] (written).
  void forward(Runtime& runtime, const Pass& pass, MatrixView<const float> x, MatrixView<float> y,
               Saved& saved) const;
  /// d_y [T, C], x [T, C] -> d_x [T, C] (written; may be d_y); adds to the gradient of weight.
  void backward(Runtime& runtime, const Pass& pass, MatrixView<const float> d_y,
                MatrixView<const float> x, const Saved& saved, MatrixView<float> d_x);

  /// Calls visit(name, parameter) for weight.
  template <class Visit>
  void for_each_parameter(Visit&& visit) {
    visit("weight", weight_);
  }

 private:
  Parameter weight_;
  float epsilon_;
};

}  // namespace padless
