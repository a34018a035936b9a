// Attention of some queries of one head of one sequence, forward: queries in the lanes of vectors,
// so that every sum over keys is a chain and keys and values are read as they lie.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "padless/kernels/attention_forward.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.h, which includes this file once a target:
#include "padless/kernels/accumulate.h"
#include "padless/kernels/attention_query.h"
#include "padless/kernels/attention_scores.h"
#include "padless/kernels/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace padless::kernels::HWY_NAMESPACE {
namespace {

// So few leave most lanes empty: a query at a time, with keys in the lanes, is then faster. No bit
// depends on it.
constexpr std::size_t kFewQueries = kLanes / 4;

std::size_t scratch_size(std::size_t width, std::size_t value_width) {
  const std::size_t packed = packed_queries_size(width) + packed_queries_size(value_width);
  return packed + 3 * kKeysABlock * kQueriesAnItem;
}

// Scores of a block become weights relative to the new maximum; `shrink` gets what the sums so far
// are multiplied by.
HWY_INLINE void weigh_block(const AttentionItem<float>& item, std::size_t first, std::size_t count,
                            float* scores, QueryLanes& top, QueryLanes& sum, QueryLanes& shrink) {
  const Tag d;
  for (std::size_t i = 0; i < item.queries; i += kLanes) {
    const std::size_t lanes = item.queries - i;
    const Vec before = hn::Load(d, top.of + i);
    Vec higher = before;
    for (std::size_t j = 0; j < count; ++j) {
      const Vec score = load_tail(scores + j * kQueriesAnItem + i, lanes);
      higher = hn::IfThenElse(hn::Gt(score, higher), score, higher);
    }
    const Vec base = score_base(higher);
    const Vec factor = exp(hn::Sub(before, base));
    Vec total = hn::Mul(hn::Load(d, sum.of + i), factor);
    for (std::size_t j = 0; j < count; ++j) {
      float* at = scores + j * kQueriesAnItem + i;
      Vec weight = exp(hn::Sub(load_tail(at, lanes), base));
      total = hn::Add(total, weight);
      if (item.dropped != nullptr) {
        weight = hn::Mul(weight, load_tail(item.dropped + (first + j) * kQueriesAnItem + i, lanes));
      }
      store_tail(weight, at, lanes);
    }
    hn::Store(higher, d, top.of + i);
    hn::Store(total, d, sum.of + i);
    hn::Store(factor, d, shrink.of + i);
  }
}

HWY_INLINE void multiply_row(float* row, std::size_t cols, float factor) {
  const Vec wide = hn::Set(Tag(), factor);
  for (std::size_t c = 0; c < cols; c += kLanes) {
    store_tail(hn::Mul(load_tail(row + c, cols - c), wide), row + c, cols - c);
  }
}

bool finish(float* x, std::size_t stride, std::size_t rows, std::size_t cols, float scale) {
  bool nan = false;
  for (std::size_t r = 0; r < rows; ++r) nan = finish_row(x + r * stride, cols, scale) || nan;
  return nan;
}

bool forward(const AttentionItem<float>& item, float* scratch) {
  if (item.queries <= kFewQueries) {
    bool nan = false;
    for (std::size_t i = 0; i < item.queries; ++i) nan = attend_query(item, i, scratch) || nan;
    return nan;
  }
  const Tag d;
  float* packed = scratch;
  float* scores = scratch + packed_queries_size(item.width);
  QueryLanes top, sum, shrink;
  for (std::size_t i = 0; i < kQueriesAnItem; i += kLanes) {
    hn::Store(hn::Set(d, -coefficients::kInfinity), d, top.of + i);
    hn::Store(hn::Zero(d), d, sum.of + i);
  }
  for (std::size_t i = 0; i < item.queries; ++i) {
    float* row = item.out + i * item.out_stride;
    for (std::size_t c = 0; c < item.value_width; c += kLanes) {
      store_tail(hn::Zero(d), row + c, item.value_width - c);
    }
  }
  const KeyRange range(item);
  pack_queries(item.q, item.q_stride, item.queries, item.width, item.scale, packed);
  // Blocks are counted from the sequence's first key; what no query here sees of one changes
  // nothing.
  for (std::size_t block = range.begin / kKeysABlock * kKeysABlock; block < range.end;
       block += kKeysABlock) {
    const std::size_t first = block < range.begin ? range.begin : block;
    const std::size_t end = block + kKeysABlock < range.end ? block + kKeysABlock : range.end;
    score_keys(item, range, packed, first, end - first, scores, nullptr);
    weigh_block(item, first, end - first, scores, top, sum, shrink);
    for (std::size_t i = 0; i < item.queries; ++i) {
      // Times 1 is what is there.
      if (shrink.of[i] != 1) {
        multiply_row(item.out + i * item.out_stride, item.value_width, shrink.of[i]);
      }
    }
    accumulate(
        {scores, kQueriesAnItem, 1, item.v + first * item.v_stride, item.v_stride, end - first},
        item.queries, item.value_width, item.out, item.out_stride);
  }
  QueryLanes inverse;
  for (std::size_t i = 0; i < kQueriesAnItem; i += kLanes) {
    hn::Store(score_inverse(hn::Load(d, sum.of + i)), d, inverse.of + i);
  }
  bool nan = false;
  for (std::size_t i = 0; i < item.queries; ++i) {
    nan = finish_row(item.out + i * item.out_stride, item.value_width, inverse.of[i]) || nan;
    item.top[i * item.stats_stride] = top.of[i];
    item.sum[i * item.stats_stride] = sum.of[i];
  }
  return nan;
}

void weights(const AttentionItem<float>& item, float* to, float* scratch) {
  const Tag d;
  float* packed = scratch;
  float* scores = scratch + packed_queries_size(item.width);
  QueryLanes tops = {}, sums = {};
  for (std::size_t i = 0; i < item.queries; ++i) {
    tops.of[i] = item.top[i * item.stats_stride];
    sums.of[i] = item.sum[i * item.stats_stride];
    for (std::size_t j = 0; j < item.keys; j += kLanes) {
      store_tail(hn::Zero(d), to + i * item.keys + j, item.keys - j);
    }
  }
  const KeyRange range(item);
  pack_queries(item.q, item.q_stride, item.queries, item.width, item.scale, packed);
  for (std::size_t first = range.begin; first < range.end; first += kKeysABlock) {
    const std::size_t left = range.end - first;
    const std::size_t count = left < kKeysABlock ? left : kKeysABlock;
    score_keys(item, range, packed, first, count, scores, nullptr);
    for (std::size_t i = 0; i < item.queries; i += kLanes) {
      const std::size_t lanes = item.queries - i;
      const Vec base = score_base(hn::Load(d, tops.of + i));
      const Vec inverse = score_inverse(hn::Load(d, sums.of + i));
      for (std::size_t j = 0; j < count; ++j) {
        float* at = scores + j * kQueriesAnItem + i;
        const Vec score = load_tail(at, lanes);
        const auto none = hn::Eq(score, hn::Set(d, -coefficients::kInfinity));
        const Vec weight = hn::Mul(exp(hn::Sub(score, base)), inverse);
        store_tail(hn::IfThenZeroElse(none, weight), at, lanes);
      }
    }
    for (std::size_t i = 0; i < item.queries; ++i) {
      for (std::size_t j = 0; j < count; ++j) {
        to[i * item.keys + first + j] = scores[j * kQueriesAnItem + i];
      }
    }
  }
}

void log_sum_exp(const float* top, const float* sum, std::size_t n, float* out) {
  for (std::size_t i = 0; i < n; i += kLanes) {
    const Vec logs = log(load_tail(sum + i, n - i));
    store_tail(hn::Add(load_tail(top + i, n - i), logs), out + i, n - i);
  }
}

}  // namespace

void add_attention_forward(Table& table) {
  table.attention_scratch = scratch_size;
  table.attention_forward = forward;
  table.attention_weights = weights;
  table.attention_finish = finish;
  table.attention_log_sum_exp = log_sum_exp;
}

}  // namespace padless::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
