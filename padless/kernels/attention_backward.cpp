// Attention of some queries of one head of one sequence, backward: scores and weights are made
// again, a block of keys at a time, from what forward left of the softmax.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "padless/kernels/attention_backward.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.h, which includes this file once a target:
#include "padless/kernels/accumulate.h"
#include "padless/kernels/attention_scores.h"
#include "padless/kernels/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace padless::kernels::HWY_NAMESPACE {
namespace {

// Two blocks, of scores and of their gradients, are 24 KB: half of a usual first-level cache. No
// bit depends on it.
constexpr std::size_t kKeysAtOnce = 64;

HWY_INLINE float row_product(const float* a, const float* b, std::size_t n) {
  Lanes16 sum;
  for (std::size_t c = 0; c < n; c += 16) {
    for (std::size_t p = 0; p < Lanes16::kParts && c + p * kLanes < n; ++p) {
      const std::size_t at = c + p * kLanes;
      sum.add_product(p, load_tail(a + at, n - at), load_tail(b + at, n - at), n - at);
    }
  }
  return sum.total();
}

// `scores` become weights (after dropout), `d_weights` gradients of scores.
HWY_INLINE void block_gradient(const AttentionItem<float>& item, std::size_t first,
                               std::size_t count, const QueryLanes& bases,
                               const QueryLanes& inverses, const QueryLanes& shifts,
                               const float* tanhs, float* scores, float* d_weights) {
  const Tag d;
  const Vec one = hn::Set(d, 1.0f);
  for (std::size_t i = 0; i < item.queries; i += kLanes) {
    const std::size_t lanes = item.queries - i;
    const Vec base = hn::Load(d, bases.of + i);
    const Vec inverse = hn::Load(d, inverses.of + i);
    const Vec shift = hn::Load(d, shifts.of + i);
    for (std::size_t j = 0; j < count; ++j) {
      const std::size_t at = j * kQueriesAnItem + i;
      const Vec score = load_tail(scores + at, lanes);
      const auto none = hn::Eq(score, hn::Set(d, -coefficients::kInfinity));
      const Vec weight = hn::IfThenZeroElse(none, hn::Mul(exp(hn::Sub(score, base)), inverse));
      Vec kept = weight;
      Vec d_weight = load_tail(d_weights + at, lanes);
      if (item.dropped != nullptr) {
        const Vec factor = load_tail(item.dropped + (first + j) * kQueriesAnItem + i, lanes);
        kept = hn::Mul(kept, factor);
        d_weight = hn::Mul(d_weight, factor);
      }
      Vec d_score = hn::Mul(weight, hn::Sub(d_weight, shift));
      if (item.soft_cap > 0) {
        const Vec bent = load_tail(tanhs + at, lanes);
        d_score = hn::Mul(d_score, hn::MulAdd(hn::Neg(bent), bent, one));
      }
      store_tail(kept, scores + at, lanes);
      store_tail(hn::IfThenZeroElse(none, d_score), d_weights + at, lanes);
    }
  }
}

// The gradients of the scores of `count` keys from `first` on, 0 where `from` is null.
HWY_INLINE void hand_out_scores(const AttentionItem<float>& item, std::size_t first,
                                std::size_t count, const float* from, float* d_scores) {
  for (std::size_t j = 0; j < count; ++j) {
    for (std::size_t i = 0; i < item.queries; i += kLanes) {
      const std::size_t lanes = item.queries - i;
      Vec cells = hn::Zero(Tag());
      if (from != nullptr) cells = load_tail(from + j * kQueriesAnItem + i, lanes);
      store_tail(cells, d_scores + (first + j) * kQueriesAnItem + i, lanes);
    }
  }
}

bool backward(const AttentionItem<float>& item, const AttentionItemGradient<float>& to,
              float* scratch) {
  const Tag d;
  float* packed_queries = scratch;
  float* packed_upstream = packed_queries + packed_queries_size(item.width);
  float* scores = packed_upstream + packed_queries_size(item.value_width);
  float* d_weights = scores + kKeysABlock * kQueriesAnItem;
  float* tanhs = d_weights + kKeysABlock * kQueriesAnItem;

  QueryLanes bases = {}, inverses = {}, shifts = {};
  for (std::size_t i = 0; i < item.queries; ++i) {
    bases.of[i] = item.top[i * item.stats_stride];
    inverses.of[i] = item.sum[i * item.stats_stride];
    shifts.of[i] =
        row_product(to.d_out + i * to.d_out_stride, to.out + i * to.out_stride, item.value_width);
    for (std::size_t c = 0; c < item.width; c += kLanes) {
      store_tail(hn::Zero(d), to.d_q + i * to.d_q_stride + c, item.width - c);
    }
  }
  for (std::size_t i = 0; i < kQueriesAnItem; i += kLanes) {
    hn::Store(score_base(hn::Load(d, bases.of + i)), d, bases.of + i);
    hn::Store(score_inverse(hn::Load(d, inverses.of + i)), d, inverses.of + i);
  }
  const KeyRange range(item);
  if (to.d_scores != nullptr) {
    hand_out_scores(item, 0, range.begin, nullptr, to.d_scores);
    hand_out_scores(item, range.end, item.keys - range.end, nullptr, to.d_scores);
  }
  pack_queries(item.q, item.q_stride, item.queries, item.width, item.scale, packed_queries);
  pack_queries(to.d_out, to.d_out_stride, item.queries, item.value_width, 1, packed_upstream);
  for (std::size_t first = range.begin; first < range.end; first += kKeysAtOnce) {
    const std::size_t left = range.end - first;
    const std::size_t count = left < kKeysAtOnce ? left : kKeysAtOnce;
    const float* k = item.k + first * item.k_stride;
    const float* v = item.v + first * item.v_stride;
    score_keys(item, range, packed_queries, first, count, scores, tanhs);
    linear(v, item.v_stride, count, item.value_width, packed_upstream, item.queries, 0,
           Panels(item.queries).count(), nullptr, d_weights, kQueriesAnItem);
    block_gradient(item, first, count, bases, inverses, shifts, tanhs, scores, d_weights);
    if (to.d_scores != nullptr) hand_out_scores(item, first, count, d_weights, to.d_scores);
    accumulate({scores, 1, kQueriesAnItem, to.d_out, to.d_out_stride, item.queries}, count,
               item.value_width, to.d_v + first * to.d_v_stride, to.d_v_stride);
    accumulate({d_weights, 1, kQueriesAnItem, item.q, item.q_stride, item.queries}, count,
               item.width, to.d_k + first * to.d_k_stride, to.d_k_stride);
    accumulate({d_weights, kQueriesAnItem, 1, k, item.k_stride, count}, item.queries, item.width,
               to.d_q, to.d_q_stride);
  }
  bool nan = false;
  for (std::size_t i = 0; i < item.queries; ++i) {
    nan = finish_row(to.d_q + i * to.d_q_stride, item.width, item.scale) || nan;
  }
  return nan;
}

}  // namespace

void add_attention_backward(Table& table) { table.attention_backward = backward; }

}  // namespace padless::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
