// The softmax of one row, as reference/attention_pool.h and reference/softmax_cross_entropy.h
// define it. Included once a target.

// NOLINTBEGIN(llvm-header-guard): Highway's guard, which opens again for each target.
#if defined(PADLESS_KERNELS_SOFTMAX_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PADLESS_KERNELS_SOFTMAX_H_
#undef PADLESS_KERNELS_SOFTMAX_H_
#else
#define PADLESS_KERNELS_SOFTMAX_H_
#endif
// NOLINTEND(llvm-header-guard)

#include "padless/kernels/simd.h"

HWY_BEFORE_NAMESPACE();
namespace padless::kernels::HWY_NAMESPACE {

/// What a softmax leaves behind: the log of the sum of exponentials is log(sum) + top.
struct Softmax {
  float top, sum;
};

/// weights = exp(scores - top) * (1 / sum), for n >= 1 scores. `weights` may be `scores`.
HWY_INLINE Softmax softmax(const float* scores, std::size_t n, float* weights) {
  const Tag d;
  // The maximum's order is free: it is the largest number that is no NaN, whatever the order, and
  // the sign of a zero does not reach exp.
  Vec tops = hn::Set(d, -coefficients::kInfinity);
  for (std::size_t t = 0; t < n; t += kLanes) {
    const Vec score = load_tail(scores + t, n - t);
    const auto greater = hn::And(hn::Gt(score, tops), hn::FirstN(d, n - t));
    tops = hn::IfThenElse(greater, score, tops);
  }
  const Vec top = hn::MaxOfLanes(d, tops);

  Lanes16 lanes;
  for (std::size_t t = 0; t < n; t += 16) {
    for (std::size_t p = 0; p < Lanes16::kParts && t + p * kLanes < n; ++p) {
      const std::size_t at = t + p * kLanes;
      const Vec e = exp(hn::Sub(load_tail(scores + at, n - at), top));
      lanes.add(p, e, n - at);
      store_tail(e, weights + at, n - at);
    }
  }
  const float sum = lanes.total();
  const Vec scale = hn::Set(d, 1.0f / sum);
  for (std::size_t t = 0; t < n; t += kLanes) {
    store_tail(hn::Mul(load_tail(weights + t, n - t), scale), weights + t, n - t);
  }
  return {hn::GetLane(top), sum};
}

}  // namespace padless::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
