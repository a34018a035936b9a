#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "padless/batch/pass.h"
#include "padless/batch/segments.h"
#include "padless/core/export.h"
#include "padless/core/matrix.h"
#include "padless/core/parameter.h"
#include "padless/core/rng.h"
#include "padless/core/runtime.h"
#include "padless/layers/linear.h"

namespace padless {

/// HAN's pooling: u_t = tanh(W x_t + b), weights = softmax of u_t . context inside the sequence,
/// the sequence's row = sum of weights[t] * x_t. Source: Yang et al., "Hierarchical attention
/// networks for document classification" (NAACL 2016), equations 5 to 7.
class PADLESS_API AdditiveAttentionPooling {
 public:
  /// What forward leaves for backward, in the runtime's arena.
  struct Saved {
    MatrixView<float> u;       ///< [T, A]
    std::span<float> weights;  ///< [T]; the attention
  };

  /// Rows of `width`, attention of `attention` units; the context is drawn with variance
  /// 1 / attention.
  AdditiveAttentionPooling(std::size_t width, std::size_t attention, Rng& rng);

  /// x [T, C] -> out [B, C] (written); a sequence of no rows gives a zero row.
  void forward(Runtime& runtime, const Pass& pass, MatrixView<const float> x, const Segments& segs,
               MatrixView<float> out, Saved& saved) const;
  /// d_out [B, C] -> d_x [T, C] (written); adds to the gradient of every parameter.
  void backward(Runtime& runtime, const Pass& pass, MatrixView<const float> d_out,
                MatrixView<const float> x, const Segments& segs, const Saved& saved,
                MatrixView<float> d_x);

  /// Calls visit(name, parameter) for "projection.weight", "projection.bias" and "context".
  template <class Visit>
  void for_each_parameter(Visit&& visit) {
    projection_.for_each_parameter([&visit](const char* name, Parameter& parameter) {
      visit(std::string("projection.") + name, parameter);
    });
    visit("context", context_);
  }

 private:
  Linear projection_;
  Parameter context_;
};

}  // namespace padless
