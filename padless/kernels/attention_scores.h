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

/// Four columns of kLanes rows as four vectors, a row in each lane. Rows behind the last, of which
/// there are none where kWhole, stand for lanes that nobody reads.
template <bool kWhole>
HWY_INLINE void load_columns(const float* rows, std::size_t stride, std::size_t first,
                             std::size_t count, Vec* columns) {
  const Tag d;
  // Block b of row[r] is row first + 4 b + r: then the blocks are 4 x 4 matrices to be transposed.
  Vec row[4];
  for (std::size_t r = 0; r < 4; ++r) {
    for (std::size_t block = kLanes / 4; block-- > 0;) {
      const std::size_t wanted = first + 4 * block + r;
      const std::size_t there = kWhole || wanted < count ? wanted : count - 1;
      const Vec four = hn::LoadDup128(d, rows + there * stride);
      row[r] = 4 * (block + 1) == kLanes
                   ? four
                   : hn::IfThenElse(hn::FirstN(d, 4 * (block + 1)), four, row[r]);
    }
  }
  const Vec even_low = hn::InterleaveLower(d, row[0], row[2]);
  const Vec odd_low = hn::InterleaveLower(d, row[1], row[3]);
  const Vec even_high = hn::InterleaveUpper(d, row[0], row[2]);
  const Vec odd_high = hn::InterleaveUpper(d, row[1], row[3]);
  columns[0] = hn::InterleaveLower(d, even_low, odd_low);
  columns[1] = hn::InterleaveUpper(d, even_low, odd_low);
  columns[2] = hn::InterleaveLower(d, even_high, odd_high);
  columns[3] = hn::InterleaveUpper(d, even_high, odd_high);
}

/// The rows of `count` queries, times `scale`, as weights that linear multiplies keys by: the
/// queries side by side. What stands behind the last is nobody's.
HWY_INLINE void pack_queries(const float* q, std::size_t stride, std::size_t count,
                             std::size_t width, float scale, float* packed) {
  const Tag d;
  const Vec wide = hn::Set(d, scale);
  const Panels cut(count);
  for (std::size_t p = 0; p < cut.count(); ++p) {
    const std::size_t lanes = cut.width(p) * kLanes;
    for (std::size_t v = cut.begin(p); v < cut.begin(p + 1); ++v) {
      float* to = packed + cut.begin(p) * kLanes * width + (v - cut.begin(p)) * kLanes;
      std::size_t c = 0;
      for (; c + 4 <= width; c += 4) {
        Vec columns[4];
        load_columns<false>(q + c, stride, v * kLanes, count, columns);
        for (std::size_t i = 0; i < 4; ++i) {
          hn::StoreU(hn::Mul(columns[i], wide), d, to + (c + i) * lanes);
        }
      }
      for (; c < width; ++c) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
          const std::size_t wanted = v * kLanes + lane;
          to[c * lanes + lane] = q[(wanted < count ? wanted : count - 1) * stride + c] * scale;
        }
      }
    }
  }
}

/// Rows [begin, end) of the keys: those that any of an item's queries may see by position.
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

using Whole = hn::Rebind<int32_t, Tag>;

/// What acts on the products of queries and keys until they are scores, in the order of
/// reference/attention.h's attention_score; bounds by position apart.
class ScoreRules {
 public:
  /// `bias` and `keep` hold a number for each pair of a query and a key; null where there is none.
  HWY_INLINE ScoreRules(const AttentionItem<float>& item, const float* bias, const uint8_t* keep)
      : bias_(bias),
        keep_(keep),
        alibi_(item.alibi),
        capped_(item.soft_cap > 0),
        slope_(hn::Set(Tag(), item.slope)),
        cap_(hn::Set(Tag(), item.soft_cap)),
        inverse_cap_(hn::Set(Tag(), capped_ ? 1.0f / item.soft_cap : 0.0f)) {}

  HWY_INLINE bool any() const { return bias_ != nullptr || keep_ != nullptr || alibi_ || capped_; }

  /// Scores of the `lanes` pairs from number `pair` on, whose queries stand on the keys `place`.
  /// `tanhs` gets the soft-cap's tanh; it may be null.
  HWY_INLINE Vec apply(Vec score, std::size_t pair, std::size_t lanes, hn::Vec<Whole> place,
                       hn::Vec<Whole> key, float* tanhs) const {
    const Tag d;
    const Whole whole;
    if (bias_ != nullptr) score = hn::Add(score, load_tail(bias_ + pair, lanes));
    if (alibi_) {
      // Negated as a whole number: distance 0 adds +0, which turns a score of -0 into +0.
      const auto away = hn::ConvertTo(d, hn::Neg(hn::Abs(hn::Sub(place, key))));
      score = hn::MulAdd(slope_, away, score);
    }
    if (capped_) {
      const Vec bent = tanh(hn::Mul(score, inverse_cap_));
      if (tanhs != nullptr) store_tail(bent, tanhs, lanes);
      score = hn::Mul(cap_, bent);
    }
    if (keep_ != nullptr) {
      const hn::Rebind<uint8_t, Tag> bytes;
      // FirstN compares bytes: a number above 127 would be below 0.
      const auto in_use = hn::FirstN(bytes, lanes < kLanes ? lanes : kLanes);
      const auto kept = hn::MaskedLoad(in_use, bytes, keep_ + pair);
      const auto seen = hn::Gt(hn::PromoteTo(whole, kept), hn::Zero(whole));
      score = hn::IfThenElse(hn::RebindMask(d, seen), score, hn::Set(d, -coefficients::kInfinity));
    }
    return score;
  }

 private:
  const float* bias_;
  const uint8_t* keep_;
  bool alibi_, capped_;
  Vec slope_, cap_, inverse_cap_;
};

/// scores [count, kQueriesAnItem] of the keys from `first` on, as reference/attention.h's
/// attention_score defines them: -infinity where a key is dropped. `tanhs`, likewise, gets the
/// soft-cap's tanh; it may be null.
HWY_INLINE void score_keys(const AttentionItem<float>& item, const KeyRange& range,
                           const float* packed_queries, std::size_t first, std::size_t count,
                           float* scores, float* tanhs) {
  const Tag d;
  const Whole whole;
  linear(item.k + first * item.k_stride, item.k_stride, count, item.width, packed_queries,
         item.queries, 0, Panels(item.queries).count(), nullptr, scores, kQueriesAnItem);
  const bool bounded = first < range.all_begin || first + count > range.all_end;
  const ScoreRules rules(item, item.bias, item.keep);
  if (!bounded && !rules.any()) return;
  for (std::size_t i = 0; i < item.queries; i += kLanes) {
    const std::size_t lanes = item.queries - i;
    const auto in_use = hn::FirstN(whole, lanes);
    const auto begin = hn::MaskedLoad(in_use, whole, item.begin + i);
    const auto end = hn::MaskedLoad(in_use, whole, item.end + i);
    auto place = hn::Zero(whole);
    if (item.alibi) place = hn::MaskedLoad(in_use, whole, item.place + i);
    for (std::size_t j = 0; j < count; ++j) {
      const std::size_t at = j * kQueriesAnItem + i;
      const auto key = hn::Set(whole, static_cast<int32_t>(first + j));
      Vec score = rules.apply(load_tail(scores + at, lanes), first * kQueriesAnItem + at, lanes,
                              place, key, tanhs == nullptr ? nullptr : tanhs + at);
      if (bounded) {
        const auto inside = hn::AndNot(hn::Gt(begin, key), hn::Gt(end, key));
        score =
            hn::IfThenElse(hn::RebindMask(d, inside), score, hn::Set(d, -coefficients::kInfinity));
      }
      store_tail(score, scores + at, lanes);
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
