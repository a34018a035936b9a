// Functions of each number by itself and their derivatives, as reference/activation.h defines
// them. Included once a target.

// NOLINTBEGIN(llvm-header-guard): Highway's guard, which opens again for each target.
#if defined(PADLESS_KERNELS_ACTIVATION_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PADLESS_KERNELS_ACTIVATION_H_
#undef PADLESS_KERNELS_ACTIVATION_H_
#else
#define PADLESS_KERNELS_ACTIVATION_H_
#endif
// NOLINTEND(llvm-header-guard)

#include "padless/kernels/simd.h"

HWY_BEFORE_NAMESPACE();
namespace padless::kernels::HWY_NAMESPACE {

/// sigmoid(u) and its derivative.
struct Logistic {
  Vec value, slope;

  explicit HWY_INLINE Logistic(Vec u) {
    const Tag d;
    const Vec one = hn::Set(d, 1.0f);
    const Vec e = exp(hn::Neg(hn::Abs(u)));
    const Vec r = hn::Div(one, hn::Add(one, e));
    const Vec part = hn::Mul(e, r);
    value = hn::IfThenElse(hn::Lt(u, hn::Zero(d)), part, r);
    slope = hn::Mul(part, r);
  }
};

/// value + x * slope; value where the slope is exactly 0.
HWY_INLINE Vec product_rule(Vec x, Vec value, Vec slope) {
  const auto flat = hn::Eq(slope, hn::Zero(Tag()));
  return hn::IfThenElse(flat, value, hn::MulAdd(x, slope, value));
}

struct Relu {
  static HWY_INLINE Vec value(Vec x) { return hn::IfThenZeroElse(hn::Lt(x, hn::Zero(Tag())), x); }
  static HWY_INLINE Vec slope(Vec x) {
    const Tag d;
    return hn::IfThenZeroElse(hn::Le(x, hn::Zero(d)), hn::Set(d, 1.0f));
  }
};

struct Gelu {
  static HWY_INLINE Vec value(Vec x) { return hn::Mul(x, Normal(x).below); }
  static HWY_INLINE Vec slope(Vec x) {
    const Normal normal(x);
    return product_rule(x, normal.below, normal.density);
  }
};

struct GeluTanh {
  static HWY_INLINE Vec argument(Vec x) {
    const Tag d;
    const Vec linear = hn::Set(d, static_cast<float>(coefficients::kGeluTanhLinear));
    const Vec cubic = hn::Set(d, static_cast<float>(coefficients::kGeluTanhCubic));
    return hn::Mul(x, hn::MulAdd(cubic, hn::Mul(x, x), linear));
  }
  static HWY_INLINE Vec value(Vec x) {
    return hn::Div(x, hn::Add(hn::Set(Tag(), 1.0f), exp(hn::Neg(argument(x)))));
  }
  static HWY_INLINE Vec slope(Vec x) {
    const Tag d;
    const Logistic gate(argument(x));
    const Vec linear = hn::Set(d, static_cast<float>(coefficients::kGeluTanhLinear));
    const Vec cubic = hn::Set(d, static_cast<float>(3 * coefficients::kGeluTanhCubic));
    const Vec inner = hn::MulAdd(cubic, hn::Mul(x, x), linear);
    const Vec bent = hn::MulAdd(x, hn::Mul(gate.slope, inner), gate.value);
    return hn::IfThenElse(hn::Eq(gate.slope, hn::Zero(d)), gate.value, bent);
  }
};

struct Silu {
  static HWY_INLINE Vec value(Vec x) {
    return hn::Div(x, hn::Add(hn::Set(Tag(), 1.0f), exp(hn::Neg(x))));
  }
  static HWY_INLINE Vec slope(Vec x) {
    const Logistic gate(x);
    return product_rule(x, gate.value, gate.slope);
  }
};

struct Tanh {
  static HWY_INLINE Vec value(Vec x) { return tanh(x); }
  static HWY_INLINE Vec slope(Vec x) {
    return hn::Mul(hn::Set(Tag(), 4.0f), Logistic(hn::Add(x, x)).slope);
  }
};

struct Sigmoid {
  static HWY_INLINE Vec value(Vec x) { return sigmoid(x); }
  static HWY_INLINE Vec slope(Vec x) { return Logistic(x).slope; }
};

}  // namespace padless::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
