// What Highway lacks: loads and stores of what is left of a row, sums in the order lanes16, and
// the elementary functions of reference/math.h, bit for bit. Included once a target.

// NOLINTBEGIN(llvm-header-guard): Highway's guard, which opens again for each target.
#if defined(PADLESS_KERNELS_SIMD_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PADLESS_KERNELS_SIMD_H_
#undef PADLESS_KERNELS_SIMD_H_
#else
#define PADLESS_KERNELS_SIMD_H_
#endif
// NOLINTEND(llvm-header-guard)

#include <cstddef>

#include "hwy/highway.h"
#include "padless/core/coefficients.h"

HWY_BEFORE_NAMESPACE();
namespace padless::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<float, 16>;
using Vec = hn::Vec<Tag>;

/// Lanes of one vector.
inline constexpr std::size_t kLanes =
    HWY_MAX_BYTES / sizeof(float) < 16 ? HWY_MAX_BYTES / sizeof(float) : 16;

/// The first min(count, kLanes) numbers at `from`; 0 in the other lanes. Reads no more than these.
HWY_INLINE Vec load_tail(const float* from, std::size_t count) {
  const Tag d;
  if (HWY_LIKELY(count >= kLanes)) return hn::LoadU(d, from);
  return hn::MaskedLoad(hn::FirstN(d, count), d, from);
}

/// Writes the first min(count, kLanes) lanes, and nothing behind them.
HWY_INLINE void store_tail(Vec v, float* to, std::size_t count) {
  const Tag d;
  if (HWY_LIKELY(count >= kLanes)) {
    hn::StoreU(v, d, to);
  } else {
    hn::BlendedStore(v, hn::FirstN(d, count), d, to);
  }
}

/// A sum in the order lanes16; see reference/math.h. Elements come 16 at a time, from `offset`, a
/// multiple of 16; the last may be fewer.
class Lanes16 {
 public:
  HWY_INLINE Lanes16() {
    for (Vec& part : parts_) part = hn::Zero(Tag());
  }

  /// Lanes at part * kLanes of the sixteen take a * b, if they are among the first `count`.
  HWY_INLINE void add_product(std::size_t part, Vec a, Vec b, std::size_t count) {
    const Vec sum = hn::MulAdd(a, b, parts_[part]);
    // A missing element must leave a lane as it is: adding 0 would turn -0 into +0.
    parts_[part] = HWY_LIKELY(count >= kLanes)
                       ? sum
                       : hn::IfThenElse(hn::FirstN(Tag(), count), sum, parts_[part]);
  }
  HWY_INLINE void add(std::size_t part, Vec a, std::size_t count) {
    const Vec sum = hn::Add(parts_[part], a);
    parts_[part] = HWY_LIKELY(count >= kLanes)
                       ? sum
                       : hn::IfThenElse(hn::FirstN(Tag(), count), sum, parts_[part]);
  }

  HWY_INLINE float total() const {
    Vec sums[kParts];
    for (std::size_t p = 0; p < kParts; ++p) sums[p] = parts_[p];
    for (std::size_t half = kParts / 2; half > 0; half /= 2) {
      for (std::size_t p = 0; p < half; ++p) sums[p] = hn::Add(sums[p], sums[p + half]);
    }
    return total_of(Tag(), sums[0]);
  }

  static constexpr std::size_t kParts = 16 / kLanes;

 private:
  template <class D>
  static HWY_INLINE float total_of(D d, hn::Vec<D> v) {
    if constexpr (hn::MaxLanes(D()) > 4) {
      const hn::Half<D> half;
      return total_of(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
    } else {
      static_cast<void>(d);
      v = hn::Add(v, hn::Shuffle1032(v));
      v = hn::Add(v, hn::Shuffle2301(v));
      return hn::GetLane(v);
    }
  }

  Vec parts_[kParts];
};

HWY_INLINE Vec exp(Vec x) {
  const Tag d;
  const hn::Rebind<int32_t, Tag> whole;
  namespace c = coefficients;
  const auto high = hn::Set(d, c::kExpHighest);
  const auto low = hn::Set(d, c::kExpLowest);
  const auto finite = hn::And(hn::Ge(x, low), hn::Le(x, high));
  const Vec safe = hn::IfThenElseZero(finite, x);
  const Vec round = hn::Set(d, c::kRound);
  const Vec n = hn::Sub(hn::Add(hn::Mul(safe, hn::Set(d, c::kLog2E)), round), round);
  const Vec r =
      hn::MulAdd(n, hn::Set(d, -c::kLn2Low), hn::MulAdd(n, hn::Set(d, -c::kLn2High), safe));
  Vec p = hn::Set(d, c::kExp[6]);
  p = hn::MulAdd(p, r, hn::Set(d, c::kExp[5]));
  p = hn::MulAdd(p, r, hn::Set(d, c::kExp[4]));
  p = hn::MulAdd(p, r, hn::Set(d, c::kExp[3]));
  p = hn::MulAdd(p, r, hn::Set(d, c::kExp[2]));
  p = hn::MulAdd(p, r, hn::Set(d, c::kExp[1]));
  p = hn::MulAdd(p, r, hn::Set(d, c::kExp[0]));
  const auto power = hn::ShiftLeft<23>(hn::ConvertTo(whole, n));
  const Vec y = hn::BitCast(d, hn::Add(hn::BitCast(whole, p), power));
  // Outside: infinity above, 0 below, NaN stays.
  const Vec rest = hn::IfThenElse(hn::Gt(x, high), hn::Set(d, c::kInfinity),
                                  hn::IfThenZeroElse(hn::Lt(x, low), x));
  return hn::IfThenElse(finite, y, rest);
}

HWY_INLINE Vec tanh(Vec x) {
  const Tag d;
  namespace c = coefficients;
  const Vec one = hn::Set(d, 1.0f);
  const Vec magnitude = hn::Abs(x);
  const Vec e = exp(hn::Mul(hn::Set(d, -2.0f), magnitude));
  const Vec large = hn::CopySign(hn::Div(hn::Sub(one, e), hn::Add(one, e)), x);
  const Vec s = hn::Mul(x, x);
  Vec p = hn::Set(d, c::kTanh[5]);
  p = hn::MulAdd(p, s, hn::Set(d, c::kTanh[4]));
  p = hn::MulAdd(p, s, hn::Set(d, c::kTanh[3]));
  p = hn::MulAdd(p, s, hn::Set(d, c::kTanh[2]));
  p = hn::MulAdd(p, s, hn::Set(d, c::kTanh[1]));
  p = hn::MulAdd(p, s, hn::Set(d, c::kTanh[0]));
  const Vec small = hn::MulAdd(hn::Mul(x, s), p, x);
  return hn::IfThenElse(hn::Lt(magnitude, hn::Set(d, c::kTanhSmall)), small, large);
}

HWY_INLINE Vec log(Vec x) {
  const Tag d;
  const hn::Rebind<int32_t, Tag> whole;
  namespace c = coefficients;
  const Vec infinity = hn::Set(d, c::kInfinity);
  const auto finite = hn::And(hn::Gt(x, hn::Zero(d)), hn::Lt(x, infinity));
  const auto subnormal = hn::Lt(x, hn::Set(d, 0x1p-126f));
  const Vec scaled = hn::IfThenElse(subnormal, hn::Mul(x, hn::Set(d, 0x1p+23f)), x);
  const auto base = hn::BitCast(whole, hn::Set(d, c::kSqrtHalf));
  const auto bits = hn::Sub(hn::BitCast(whole, scaled), base);
  const Vec octave = hn::ConvertTo(d, hn::ShiftRight<23>(bits));
  const Vec e = hn::Sub(octave, hn::IfThenElseZero(subnormal, hn::Set(d, 23.0f)));
  const auto place = hn::And(bits, hn::Set(whole, 0x7fffff));
  const Vec f = hn::Sub(hn::BitCast(d, hn::Add(place, base)), hn::Set(d, 1.0f));
  Vec p = hn::Set(d, c::kLog[8]);
  p = hn::MulAdd(p, f, hn::Set(d, c::kLog[7]));
  p = hn::MulAdd(p, f, hn::Set(d, c::kLog[6]));
  p = hn::MulAdd(p, f, hn::Set(d, c::kLog[5]));
  p = hn::MulAdd(p, f, hn::Set(d, c::kLog[4]));
  p = hn::MulAdd(p, f, hn::Set(d, c::kLog[3]));
  p = hn::MulAdd(p, f, hn::Set(d, c::kLog[2]));
  p = hn::MulAdd(p, f, hn::Set(d, c::kLog[1]));
  p = hn::MulAdd(p, f, hn::Set(d, c::kLog[0]));
  const Vec square = hn::Mul(f, f);
  const Vec low = hn::MulAdd(e, hn::Set(d, c::kLn2Low), hn::Mul(hn::Mul(f, square), p));
  const Vec rest = hn::MulAdd(hn::Set(d, -0.5f), square, low);
  const Vec y = hn::MulAdd(e, hn::Set(d, c::kLn2High), hn::Add(f, rest));
  // Outside: -infinity for 0, NaN below, infinity and NaN stay.
  const Vec zero_or_less = hn::IfThenElse(hn::Eq(x, hn::Zero(d)), hn::Neg(infinity), hn::NaN(d));
  const Vec outside = hn::IfThenElse(hn::Gt(x, hn::Zero(d)), x, zero_or_less);
  return hn::IfThenElse(finite, y, outside);
}

HWY_INLINE Vec sigmoid(Vec x) {
  const Vec one = hn::Set(Tag(), 1.0f);
  return hn::Div(one, hn::Add(one, exp(hn::Neg(x))));
}

/// The normal distribution at x: Phi(x) and the density.
struct Normal {
  Vec below, density;

  explicit HWY_INLINE Normal(Vec x) {
    const Tag d;
    namespace c = coefficients;
    const Vec half = hn::Set(d, -0.5f), one = hn::Set(d, 1.0f);
    const Vec magnitude = hn::Abs(x);
    const auto far = hn::Gt(magnitude, hn::Set(d, c::kNormalFar));
    const Vec safe = hn::IfThenZeroElse(far, magnitude);
    const Vec square = hn::Mul(safe, safe);
    const Vec lost = hn::MulSub(safe, safe, square);
    const Vec near_bell = exp(hn::Mul(half, square));
    const Vec bell = hn::MulAdd(near_bell, hn::Mul(half, lost), near_bell);
    const Vec centre = hn::Set(d, c::kNormalCentre);
    const Vec over = hn::Div(one, hn::Add(safe, centre));
    const Vec t = hn::Mul(hn::Sub(safe, centre), over);
    Vec p = hn::Set(d, c::kNormal[9]);
    p = hn::MulAdd(p, t, hn::Set(d, c::kNormal[8]));
    p = hn::MulAdd(p, t, hn::Set(d, c::kNormal[7]));
    p = hn::MulAdd(p, t, hn::Set(d, c::kNormal[6]));
    p = hn::MulAdd(p, t, hn::Set(d, c::kNormal[5]));
    p = hn::MulAdd(p, t, hn::Set(d, c::kNormal[4]));
    p = hn::MulAdd(p, t, hn::Set(d, c::kNormal[3]));
    p = hn::MulAdd(p, t, hn::Set(d, c::kNormal[2]));
    p = hn::MulAdd(p, t, hn::Set(d, c::kNormal[1]));
    p = hn::MulAdd(p, t, hn::Set(d, c::kNormal[0]));
    const Vec beyond = hn::IfThenZeroElse(far, hn::Mul(bell, hn::Mul(p, over)));
    below = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), beyond, hn::Sub(one, beyond));
    const Vec at_zero = hn::Set(d, static_cast<float>(c::kDensityAtZero));
    density = hn::IfThenZeroElse(far, hn::Mul(bell, at_zero));
  }
};

}  // namespace padless::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
