// The elementary functions of simd.h and activation.h over arrays. Part of the tests' library
// alone.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "padless/kernels/elementary.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.h, which includes this file once a target:
#include "padless/kernels/activation.h"
#include "padless/kernels/elementary.h"

HWY_BEFORE_NAMESPACE();
namespace padless::kernels::HWY_NAMESPACE {
namespace {

HWY_INLINE Vec normal_below(Vec x) { return Normal(x).below; }

#define PADLESS_OVER_ARRAY(name, function)                          \
  void name(const float* x, std::size_t n, float* to) {             \
    for (std::size_t i = 0; i < n; i += kLanes) {                   \
      store_tail(function(load_tail(x + i, n - i)), to + i, n - i); \
    }                                                               \
  }
PADLESS_OVER_ARRAY(exp_of, exp)
PADLESS_OVER_ARRAY(tanh_of, tanh)
PADLESS_OVER_ARRAY(sigmoid_of, sigmoid)
PADLESS_OVER_ARRAY(log_of, log)
PADLESS_OVER_ARRAY(normal_below_of, normal_below)
PADLESS_OVER_ARRAY(gelu_of, Gelu::value)
PADLESS_OVER_ARRAY(gelu_tanh_of, GeluTanh::value)
#undef PADLESS_OVER_ARRAY

}  // namespace

Elementary elementary() {
  return {.exp = exp_of,
          .tanh = tanh_of,
          .sigmoid = sigmoid_of,
          .log = log_of,
          .normal_below = normal_below_of,
          .gelu = gelu_of,
          .gelu_tanh = gelu_tanh_of};
}

}  // namespace padless::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace padless::kernels {

Elementary elementary(Isa isa) {
#if defined(__x86_64__)
  if (isa == Isa::avx2) return N_AVX2::elementary();
  if (isa == Isa::avx512) return N_AVX3::elementary();
#endif
  static_cast<void>(isa);
  return {};
}

}  // namespace padless::kernels
#endif  // HWY_ONCE
