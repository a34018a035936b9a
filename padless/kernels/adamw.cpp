// One step of AdamW on some elements, and their sum of squares.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "padless/kernels/adamw.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.h, which includes this file once a target:
#include "padless/kernels/kernels.h"
#include "padless/kernels/simd.h"

HWY_BEFORE_NAMESPACE();
namespace padless::kernels::HWY_NAMESPACE {
namespace {

void adamw(const AdamWNumbers& numbers, std::size_t n, float* value, float* gradient, float* first,
           float* second) {
  const Tag d;
  const Vec beta1 = hn::Set(d, numbers.beta1), beta2 = hn::Set(d, numbers.beta2);
  const Vec rest1 = hn::Set(d, numbers.rest1), rest2 = hn::Set(d, numbers.rest2);
  const Vec correction1 = hn::Set(d, numbers.correction1);
  const Vec correction2 = hn::Set(d, numbers.correction2);
  const Vec keep = hn::Set(d, numbers.keep), rate = hn::Set(d, numbers.rate);
  const Vec epsilon = hn::Set(d, numbers.epsilon), scale = hn::Set(d, numbers.gradient_scale);
  for (std::size_t i = 0; i < n; i += kLanes) {
    const std::size_t left = n - i;
    const Vec slope = hn::Mul(load_tail(gradient + i, left), scale);
    const Vec m = hn::MulAdd(beta1, load_tail(first + i, left), hn::Mul(rest1, slope));
    const Vec v =
        hn::MulAdd(beta2, load_tail(second + i, left), hn::Mul(rest2, hn::Mul(slope, slope)));
    const Vec spread = hn::Add(hn::Sqrt(hn::Div(v, correction2)), epsilon);
    const Vec move = hn::Div(hn::Div(m, correction1), spread);
    const Vec kept = hn::Mul(load_tail(value + i, left), keep);
    store_tail(m, first + i, left);
    store_tail(v, second + i, left);
    store_tail(hn::NegMulAdd(rate, move, kept), value + i, left);
    store_tail(hn::Zero(d), gradient + i, left);
  }
}

using Wide = hn::CappedTag<double, 8>;
using WideVec = hn::Vec<Wide>;

template <class D>
HWY_INLINE double total_of(D d, hn::Vec<D> v) {
  if constexpr (hn::MaxLanes(D()) > 2) {
    const hn::Half<D> half;
    return total_of(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
  } else {
    static_cast<void>(d);
    return hn::GetLane(hn::Add(v, hn::Shuffle01(v)));
  }
}

double sum_of_squares(const float* x, std::size_t n) {
  constexpr std::size_t kWide = kLanes / 2;
  constexpr std::size_t kParts = 16 / kWide;
  const Wide d;
  const hn::Rebind<float, Wide> narrow;
  WideVec lanes[kParts];
  for (WideVec& part : lanes) part = hn::Zero(d);
  for (std::size_t i = 0; i < n; i += 16) {
    for (std::size_t p = 0; p < kParts && i + p * kWide < n; ++p) {
      const float* from = x + i + p * kWide;
      const std::size_t left = n - (i + p * kWide);
      // A sum of squares is never -0: the 0 of a missing element leaves it as it is.
      const auto cells = HWY_LIKELY(left >= kWide)
                             ? hn::LoadU(narrow, from)
                             : hn::MaskedLoad(hn::FirstN(narrow, left), narrow, from);
      const WideVec wide = hn::PromoteTo(d, cells);
      lanes[p] = hn::MulAdd(wide, wide, lanes[p]);
    }
  }
  for (std::size_t half = kParts / 2; half > 0; half /= 2) {
    for (std::size_t p = 0; p < half; ++p) lanes[p] = hn::Add(lanes[p], lanes[p + half]);
  }
  return total_of(d, lanes[0]);
}

}  // namespace

void add_adamw(Table& table) {
  table.adamw = adamw;
  table.sum_of_squares = sum_of_squares;
}

}  // namespace padless::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
