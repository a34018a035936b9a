// Attention of one query, as decoding asks for: keys in the lanes of vectors, where
// attention_forward.cpp has queries. The chains are the same, and so are the bits. Included once a
// target.

// NOLINTBEGIN(llvm-header-guard): Highway's guard, which opens again for each target.
#if defined(PADLESS_KERNELS_ATTENTION_QUERY_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PADLESS_KERNELS_ATTENTION_QUERY_H_
#undef PADLESS_KERNELS_ATTENTION_QUERY_H_
#else
#define PADLESS_KERNELS_ATTENTION_QUERY_H_
#endif
// NOLINTEND(llvm-header-guard)

#include "padless/core/attention_item.h"
#include "padless/kernels/attention_scores.h"
#include "padless/kernels/panels.h"

HWY_BEFORE_NAMESPACE();
namespace padless::kernels::HWY_NAMESPACE {

/// A number for each key of a block, in whole vectors.
struct alignas(64) KeyLanes {
  float of[kKeysABlock];
};

/// The products of a query and kVectors * kLanes of `count` rows of keys.
template <std::size_t kVectors, bool kWhole>
HWY_INLINE void multiply_keys(const float* keys, std::size_t stride, std::size_t count,
                              const float* query, std::size_t width, float* products) {
  const Tag d;
  Vec acc[kVectors];
  for (Vec& part : acc) part = hn::Zero(d);
  std::size_t c = 0;
  for (; c + 4 <= width; c += 4) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      Vec columns[4];
      load_columns<kWhole>(keys + c, stride, v * kLanes, count, columns);
      for (std::size_t i = 0; i < 4; ++i) {
        acc[v] = hn::MulAdd(columns[i], hn::Set(d, query[c + i]), acc[v]);
      }
    }
  }
  for (; c < width; ++c) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      alignas(64) float column[kLanes];
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const std::size_t wanted = v * kLanes + lane;
        column[lane] = keys[(kWhole || wanted < count ? wanted : count - 1) * stride + c];
      }
      acc[v] = hn::MulAdd(hn::Load(d, column), hn::Set(d, query[c]), acc[v]);
    }
  }
  for (std::size_t v = 0; v < kVectors; ++v) hn::Store(acc[v], d, products + v * kLanes);
}

struct MultiplyKeys {
  template <std::size_t kVectors>
  static void run(const float* keys, std::size_t stride, std::size_t count, const float* query,
                  std::size_t width, float* products) {
    if (count >= kVectors * kLanes) {
      multiply_keys<kVectors, true>(keys, stride, count, query, width, products);
    } else {
      multiply_keys<kVectors, false>(keys, stride, count, query, width, products);
    }
  }
};

/// The scores of query i, whose scaled row is `query`, and `count` keys, all of which it may see by
/// position, from `first` on: -infinity where a key is dropped and in the lanes behind the last.
HWY_INLINE void score_block(const AttentionItem<float>& item, std::size_t i, const float* query,
                            std::size_t first, std::size_t count, KeyLanes& scores) {
  const Tag d;
  const Whole whole;
  const Panels cut(count);
  for (std::size_t p = 0; p < cut.count(); ++p) {
    const std::size_t at = cut.begin(p) * kLanes;
    with_width<MultiplyKeys>(cut.width(p), item.k + (first + at) * item.k_stride, item.k_stride,
                             count - at, query, item.width, scores.of + at);
  }
  KeyLanes bias;
  uint8_t keep[kKeysABlock];
  for (std::size_t j = 0; j < count; ++j) {
    const std::size_t pair = (first + j) * kQueriesAnItem + i;
    if (item.bias != nullptr) bias.of[j] = item.bias[pair];
    if (item.keep != nullptr) keep[j] = item.keep[pair];
  }
  const ScoreRules rules(item, item.bias == nullptr ? nullptr : bias.of,
                         item.keep == nullptr ? nullptr : keep);
  const auto place = hn::Set(whole, item.place[i]);
  for (std::size_t j = 0; j < count; j += kLanes) {
    Vec score = hn::Load(d, scores.of + j);
    if (rules.any()) {
      const auto key = hn::Iota(whole, static_cast<int32_t>(first + j));
      score = rules.apply(score, j, count - j, place, key, nullptr);
    }
    score = hn::IfThenElse(hn::FirstN(d, count - j), score, hn::Set(d, -coefficients::kInfinity));
    hn::Store(score, d, scores.of + j);
  }
}

/// The largest of `before` and the scores: of equal ones the first, which decides the sign of 0.
HWY_INLINE float highest(const KeyLanes& scores, std::size_t count, float before) {
  const Tag d;
  Vec lanes = hn::Set(d, before);
  for (std::size_t j = 0; j < count; j += kLanes) {
    const Vec score = hn::Load(d, scores.of + j);
    lanes = hn::IfThenElse(hn::Gt(score, lanes), score, lanes);
  }
  alignas(64) float of[kLanes];
  hn::Store(lanes, d, of);
  float top = before;
  for (const float lane : of) top = lane > top ? lane : top;
  if (top != 0 || before == 0) return top;
  std::size_t j = 0;
  while (scores.of[j] != 0) ++j;
  return scores.of[j];
}

/// What a block adds to a query's sums: `weights` to their own, `kept`, which is after dropout,
/// times the values to the columns of kVectors vectors. Chains over keys, all side by side, because
/// each addition waits for the one before; a run that is not the first makes the sum of weights
/// again, which costs less than to ask.
struct AddValues {
  template <std::size_t kVectors>
  static void run(const float* weights, const float* kept, const float* v, std::size_t v_stride,
                  std::size_t count, float shrink, float before, std::size_t columns, float* sum,
                  float* out) {
    const Tag d;
    constexpr std::size_t kLast = (kVectors - 1) * kLanes;
    float total = before * shrink;
    Vec acc[kVectors];
    for (std::size_t i = 0; i < kVectors; ++i) {
      acc[i] = hn::Mul(load_tail(out + i * kLanes, columns - i * kLanes), hn::Set(d, shrink));
    }
    for (std::size_t j = 0; j < count; ++j, v += v_stride) {
      total = total + weights[j];
      const Vec weight = hn::Set(d, kept[j]);
      for (std::size_t i = 0; i + 1 < kVectors; ++i) {
        acc[i] = hn::MulAdd(weight, hn::LoadU(d, v + i * kLanes), acc[i]);
      }
      acc[kVectors - 1] =
          hn::MulAdd(weight, load_tail(v + kLast, columns - kLast), acc[kVectors - 1]);
    }
    *sum = total;
    for (std::size_t i = 0; i < kVectors; ++i) {
      store_tail(acc[i], out + i * kLanes, columns - i * kLanes);
    }
  }
};

/// The whole forward of query i; `query` is memory of `width` floats. Tells whether a result is
/// NaN.
HWY_INLINE bool attend_query(const AttentionItem<float>& item, std::size_t i, float* query) {
  const Tag d;
  const auto begin = static_cast<std::size_t>(item.begin[i]);
  const auto end = static_cast<std::size_t>(item.end[i]);
  float* out = item.out + i * item.out_stride;
  for (std::size_t c = 0; c < item.value_width; c += kLanes) {
    store_tail(hn::Zero(d), out + c, item.value_width - c);
  }
  for (std::size_t c = 0; c < item.width; ++c) {
    query[c] = item.q[i * item.q_stride + c] * item.scale;
  }
  float top = -coefficients::kInfinity, sum = 0;
  for (std::size_t block = begin / kKeysABlock * kKeysABlock; block < end; block += kKeysABlock) {
    const std::size_t first = block < begin ? begin : block;
    const std::size_t count = (block + kKeysABlock < end ? block + kKeysABlock : end) - first;
    KeyLanes weights, kept;
    score_block(item, i, query, first, count, weights);
    const float higher = highest(weights, count, top);
    const Vec base = score_base(hn::Set(d, higher));
    const float shrink = hn::GetLane(exp(hn::Sub(hn::Set(d, top), base)));
    top = higher;
    for (std::size_t j = 0; j < count; j += kLanes) {
      hn::Store(exp(hn::Sub(hn::Load(d, weights.of + j), base)), d, weights.of + j);
    }
    if (item.dropped != nullptr) {
      for (std::size_t j = 0; j < count; ++j) {
        kept.of[j] = weights.of[j] * item.dropped[(first + j) * kQueriesAnItem + i];
      }
    }
    const float before = sum;
    // One at least: without a column of values there is still the sum of weights.
    const std::size_t vectors =
        item.value_width == 0 ? 1 : (item.value_width + kLanes - 1) / kLanes;
    const std::size_t runs = (vectors + kRows - 1) / kRows;
    for (std::size_t r = 0, at = 0; r < runs; ++r) {
      const std::size_t wide = vectors / runs + (r < vectors % runs ? 1 : 0);
      with_rows<AddValues>(wide, weights.of, item.dropped == nullptr ? weights.of : kept.of,
                           item.v + first * item.v_stride + at, item.v_stride, count, shrink,
                           before, item.value_width - at, &sum, out + at);
      at += wide * kLanes;
    }
  }
  item.top[i * item.stats_stride] = top;
  item.sum[i * item.stats_stride] = sum;
  return finish_row(out, item.value_width, hn::GetLane(score_inverse(hn::Set(d, sum))));
}

}  // namespace padless::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
