#include "padless/layers/sublayer.h"

#include "padless/ops/dropout.h"
#include "padless/ops/residual.h"

namespace padless {

void Sublayer::join(Runtime& runtime, const Pass& pass, std::uint32_t op, MatrixView<const float> x,
                    MatrixView<float> y) const {
  dropout_forward(runtime, pass, dropout_, op, y, y);
  add_to(runtime, pass, x, y);
}

void Sublayer::drop(Runtime& runtime, const Pass& pass, std::uint32_t op,
                    MatrixView<const float> d_out, MatrixView<float> d_y) const {
  dropout_backward(runtime, pass, dropout_, op, d_out, d_y);
}

void Sublayer::add(Runtime& runtime, const Pass& pass, MatrixView<const float> x,
                   MatrixView<float> y) {
  add_to(runtime, pass, x, y);
}

}  // namespace padless
