#pragma once

#include <cstddef>
#include <variant>

#include "padless/batch/pass.h"
#include "padless/core/export.h"
#include "padless/core/matrix.h"
#include "padless/core/runtime.h"
#include "padless/layers/layer_norm.h"
#include "padless/layers/rms_norm.h"

namespace padless {

/// How a row is brought to one size.
enum class NormKind {
  layer,  ///< mean 0 and variance 1, then a scale and a shift for each column
  rms,    ///< mean square 1, then a scale for each column
};

/// One normalisation or the other, by configuration.
class PADLESS_API Norm {
 public:
  /// What forward leaves for backward.
  struct Saved {
    LayerNorm::Saved layer;
    RmsNorm::Saved rms;
  };

  /// Rows of `width` numbers. Throws as LayerNorm and RmsNorm do.
  Norm(NormKind kind, std::size_t width, float epsilon);

  /// x [T, C] -> y [T, C] (written).
  void forward(Runtime& runtime, const Pass& pass, MatrixView<const float> x, MatrixView<float> y,
               Saved& saved) const;
  /// d_y [T, C], x [T, C] -> d_x [T, C] (written; may be d_y); adds to the gradient of every
  /// parameter.
  void backward(Runtime& runtime, const Pass& pass, MatrixView<const float> d_y,
                MatrixView<const float> x, const Saved& saved, MatrixView<float> d_x);

  /// Calls visit(name, parameter) for weight and, of NormKind::layer, bias.
  template <class Visit>
  void for_each_parameter(Visit&& visit) {
    std::visit([&visit](auto& norm) { norm.for_each_parameter(visit); }, norm_);
  }

 private:
  std::variant<LayerNorm, RmsNorm> norm_;
};

}  // namespace padless
