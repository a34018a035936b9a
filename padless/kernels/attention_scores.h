// The scores of some queries, side by side in the lanes of vectors, against a block of keys: what
// attention's forward and backward share. Included once a target.

// NOLINTBEGIN(llvm-header-guard): Highway's guard, which opens again for each target.
#if defined(PADLESS_KERNELS_ATTENTION_SCORES_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PADLESS_KERNELS_ATTENTION_SCORES_H_
#undef PADLESS_KERNELS_ATTENTION_SCORES_H_
#else
#define PADLESS_KERNELS_ATTENTION_SCORES_H_
#endif
// NOLINTEND(llvm-header-guard)

#include "padless/core/attention_item.h"
#include "padless/kernels/linear.h"
#include "padless/kernels/panels.h"

HWY_BEFORE_NAMESPACE();
namespace padless::kernels::HWY_NAMESPACE {

/// A number for each query of an item, in whole vectors.
struct alignas(64) QueryLanes {
  float of[kQueriesAnItem];
};

/// Floats that pack_queries writes.
HWY_INLINE std::size_t packed_queries_size(std::size_t width) { return kQueriesAnItem * width; }

/// The rows of `count` queries, times `scale`, as weights that linear multiplies keys by: the
/// queries side by side, 0 behind the last.
HWY_INLINE void pack_queries(const float* q, std::size_t stride, std::size_t count,
                             std::size_t width, float scale, float* packed) {
  const Panels cut(count);
  for (std::size_t p = 0; p < cut.count(); ++p) {
    const std::size_t first = cut.begin(p) * kLanes;
    const std::size_t lanes = cut.width(p) * kLanes;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      float* to = packed + first * width + lane;
      if (first + lane >= count) {
        for (std::size_t c = 0; c < width; ++c) to[c * lanes] = 0;
        continue;
      }
      const float* from = q + (first + lane) * stride;
      for (std::size_t c = 0; c < width; ++c) to[c * lanes] = from[c] * scale;
    }
  }
}

/// What rows [begin, end) of the keys an item's queries may see by position.
struct KeyRange {
  std::size_t begin = 0, end = 0;
  /// The keys that all its queries see.
  std::size_t all_begin = 0, all_end = 0;

  explicit HWY_INLINE KeyRange(const AttentionItem<float>& item) {
    begin = item.keys;
    all_end = item.keys;
    for (std::size_t i = 0; i < item.queries; ++i) {
      const auto first = static_cast<std::size_t>(item.begin[i]);
      const auto last = static_cast<std::size_t>(item.end[i]);
      if (first < begin) begin = first;
      if (last > end) end = last;
      if (first > all_begin) all_begin = first;
      if (last < all_end) all_end = last;
    }
    if (begin > end) begin = end;
  }
};

/// scores [count, kQueriesAnItem] of the keys from `first` on, as reference/attention.h's
/// attention_score defines them: -infinity where a key is dropped. `tanhs`, likewise, gets the
/// soft-cap's tanh; it may be null.
HWY_INLINE void score_keys(const AttentionItem<float>& item, const KeyRange& range,
                           const float* packed_queries, std::size_t first, std::size_t count,
                           float* scores, float* tanhs) {
  const Tag d;
  const hn::Rebind<int32_t, Tag> whole;
  linear(item.k + first * item.k_stride, item.k_stride, count, item.width, packed_queries,
         item.queries, 0, Panels(item.queries).count(), nullptr, scores, kQueriesAnItem);
  const bool bounded = first < range.all_begin || first + count > range.all_end;
  const bool capped = item.soft_cap > 0;
  if (!bounded && !capped && !item.alibi && item.bias == nullptr && item.keep == nullptr) return;
  const Vec none = hn::Set(d, -coefficients::kInfinity);
  const Vec cap = hn::Set(d, item.soft_cap);
  const Vec inverse_cap = hn::Set(d, capped ? 1.0f / item.soft_cap : 0.0f);
  const Vec slope = hn::Set(d, item.slope);
  for (std::size_t i = 0; i < item.queries; i += kLanes) {
    const std::size_t lanes = item.queries - i;
    const auto in_use = hn::FirstN(whole, lanes);
    const auto begin = hn::MaskedLoad(in_use, whole, item.begin + i);
    const auto end = hn::MaskedLoad(in_use, whole, item.end + i);
    auto place = hn::Zero(whole);
    if (item.alibi) place = hn::MaskedLoad(in_use, whole, item.place + i);
    for (std::size_t j = 0; j < count; ++j) {
      const std::size_t pair = (first + j) * kQueriesAnItem + i;
      const auto key = hn::Set(whole, static_cast<int32_t>(first + j));
      float* at = scores + j * kQueriesAnItem + i;
      Vec score = load_tail(at, lanes);
      if (item.bias != nullptr) score = hn::Add(score, load_tail(item.bias + pair, lanes));
      if (item.alibi) {
        const auto distance = hn::ConvertTo(d, hn::Abs(hn::Sub(place, key)));
        score = hn::MulAdd(slope, hn::Neg(distance), score);
      }
      if (capped) {
        const Vec bent = tanh(hn::Mul(score, inverse_cap));
        if (tanhs != nullptr) store_tail(bent, tanhs + j * kQueriesAnItem + i, lanes);
        score = hn::Mul(cap, bent);
      }
      if (bounded) {
        const auto inside = hn::AndNot(hn::Gt(begin, key), hn::Gt(end, key));
        score = hn::IfThenElse(hn::RebindMask(d, inside), score, none);
      }
      if (item.keep != nullptr) {
        const hn::Rebind<uint8_t, Tag> bytes;
        const auto kept = hn::MaskedLoad(hn::FirstN(bytes, lanes), bytes, item.keep + pair);
        const auto wide = hn::PromoteTo(whole, kept);
        score = hn::IfThenElse(hn::RebindMask(d, hn::Gt(wide, hn::Zero(whole))), score, none);
      }
      store_tail(score, at, lanes);
    }
  }
}

/// What scores are taken relative to, from the largest: 0 where there is none.
HWY_INLINE Vec score_base(Vec top) {
  const Tag d;
  return hn::IfThenZeroElse(hn::Eq(top, hn::Set(d, -coefficients::kInfinity)), top);
}

/// What sums of weighted values are multiplied by: 0 where there is no score.
HWY_INLINE Vec score_inverse(Vec sum) {
  const Tag d;
  return hn::IfThenZeroElse(hn::Eq(sum, hn::Zero(d)), hn::Div(hn::Set(d, 1.0f), sum));
}

/// The last step of a sum, cols numbers: times `scale`, so that a sum of nothing and a sum of zeros
/// are one zero. Tells whether one is NaN.
HWY_INLINE bool finish_row(float* row, std::size_t cols, float scale) {
  const Tag d;
  const Vec wide = hn::Set(d, scale);
  bool finite = true;
  for (std::size_t c = 0; c < cols; c += kLanes) {
    const Vec cells = hn::MulAdd(load_tail(row + c, cols - c), wide, hn::Zero(d));
    store_tail(cells, row + c, cols - c);
    finite = finite && hn::AllTrue(d, hn::Eq(cells, cells));
  }
  return !finite;
}

}  // namespace padless::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
