#include "padless/layers/norm.h"

namespace padless {
namespace {

std::variant<LayerNorm, RmsNorm> made(NormKind kind, std::size_t width, float epsilon) {
  if (kind == NormKind::layer) return LayerNorm(width, epsilon);
  return RmsNorm(width, epsilon);
}

}  // namespace

Norm::Norm(NormKind kind, std::size_t width, float epsilon) : norm_(made(kind, width, epsilon)) {}

void Norm::forward(Runtime& runtime, const Pass& pass, MatrixView<const float> x,
                   MatrixView<float> y, Saved& saved) const {
  if (const auto* layer = std::get_if<LayerNorm>(&norm_)) {
    layer->forward(runtime, pass, x, y, saved.layer);
  } else {
    std::get<RmsNorm>(norm_).forward(runtime, pass, x, y, saved.rms);
  }
}

void Norm::backward(Runtime& runtime, const Pass& pass, MatrixView<const float> d_y,
                    MatrixView<const float> x, const Saved& saved, MatrixView<float> d_x) {
  if (auto* layer = std::get_if<LayerNorm>(&norm_)) {
    layer->backward(runtime, pass, d_y, x, saved.layer, d_x);
  } else {
    std::get<RmsNorm>(norm_).backward(runtime, pass, d_y, x, saved.rms, d_x);
  }
}

}  // namespace padless
