#pragma once

#include <cstddef>

#include "padless/batch/pass.h"
#include "padless/core/export.h"
#include "padless/core/matrix.h"
#include "padless/core/parameter.h"
#include "padless/core/rng.h"
#include "padless/core/runtime.h"
#include "padless/ops/linear.h"

namespace padless {

/// y = x W^T + b. Backward needs nothing saved but x.
class PADLESS_API Linear {
 public:
  /// W [out, in] drawn uniformly with variance 2 / (in + out), b = 0.
  /// Source: Glorot and Bengio, "Understanding the difficulty of training deep feedforward neural
  /// networks" (AISTATS 2010), equation 16.
  Linear(std::size_t in, std::size_t out, Rng& rng);

  std::size_t in() const { return weight_.value.cols(); }
  std::size_t out() const { return weight_.value.rows(); }

  /// x [T, in] -> y [T, out] (written).
  void forward(Runtime& runtime, const Pass& pass, MatrixView<const float> x,
               MatrixView<float> y) const;
  /// d_y [T, out], x [T, in] -> d_x [T, in] (written), or not where d_x has no columns: nobody
  /// wants it; adds to the gradients of weight and bias.
  void backward(Runtime& runtime, const Pass& pass, MatrixView<const float> d_y,
                MatrixView<const float> x, MatrixView<float> d_x);

  /// Calls visit(name, parameter) for weight and bias.
  template <class Visit>
  void for_each_parameter(Visit&& visit) {
    visit("weight", weight_);
    visit("bias", bias_);
  }

 private:
  Parameter weight_, bias_;
  PackedCache packed_;
};

}  // namespace padless
