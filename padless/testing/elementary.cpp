#include "padless/testing/elementary.h"

#include "padless/reference/activation.h"
#include "padless/reference/math.h"

namespace padless::testing {
namespace {

template <float (*kFunction)(float)>
void over_array(const float* x, std::size_t n, float* to) {
  std::transform(x, x + n, to, kFunction);
}

float normal_below(float x) { return reference::math::Normal<float>(x).below; }
template <Activation kKind>
float activation(float x) {
  return reference::activation(kKind, x);
}

}  // namespace

kernels::Elementary elementary(Isa isa) {
  namespace math = reference::math;
  if (isa != Isa::scalar) return kernels::elementary(isa);
  return {.exp = over_array<math::exp>,
          .tanh = over_array<math::tanh>,
          .sigmoid = over_array<math::sigmoid<float>>,
          .log = over_array<math::log>,
          .normal_below = over_array<normal_below>,
          .gelu = over_array<activation<Activation::gelu>>,
          .gelu_tanh = over_array<activation<Activation::gelu_tanh>>};
}

}  // namespace padless::testing
