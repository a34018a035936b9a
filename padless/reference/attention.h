// Attention: each query's mean of its sequence's values under the softmax of its scores.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "padless/batch/attend.h"
#include "padless/batch/bias.h"
#include "padless/batch/mask.h"
#include "padless/batch/pass.h"
#include "padless/batch/segments.h"
#include "padless/core/attention_item.h"
#include "padless/core/matrix.h"
#include "padless/core/rng.h"
#include "padless/reference/dropout.h"
#include "padless/reference/math.h"
#include "padless/reference/shard_tree.h"

namespace padless::reference {

/// The score of query i and key j, or -infinity, which is no score, where the key is dropped.
/// `tanh` gets the soft-cap's tanh.
template <class Real>
Real attention_score(const AttentionItem<Real>& item, std::size_t i, std::size_t j, Real* tanh) {
  const auto key = static_cast<std::int32_t>(j);
  if (key < item.begin[i] || key >= item.end[i]) return -math::infinity<Real>();
  const std::size_t pair = j * kQueriesAnItem + i;
  if (item.keep != nullptr && item.keep[pair] == 0) return -math::infinity<Real>();
  Real score = 0;
  for (std::size_t d = 0; d < item.width; ++d) {
    score =
        math::fma(item.k[j * item.k_stride + d], item.q[i * item.q_stride + d] * item.scale, score);
  }
  if (item.bias != nullptr) score = score + item.bias[pair];
  if (item.alibi) {
    const std::int32_t away = item.place[i] - key;
    score = math::fma(item.slope, Real(static_cast<float>(away < 0 ? away : -away)), score);
  }
  if (item.soft_cap > 0) {
    *tanh = math::tanh(score * (Real(1) / item.soft_cap));
    score = item.soft_cap * *tanh;
  }
  return score;
}

/// What scores are taken relative to: 0 where there is none.
template <class Real>
Real attention_base(Real top) {
  return top == -math::infinity<Real>() ? Real(0) : top;
}

/// What sums of weighted values are multiplied by: 0 where there is no score.
template <class Real>
Real attention_inverse(Real sum) {
  return sum == Real(0) ? Real(0) : Real(1) / sum;
}

template <class Real>
void attention_forward(const AttentionItem<Real>& item) {
  for (std::size_t i = 0; i < item.queries; ++i) {
    const std::span<Real> out(item.out + i * item.out_stride, item.value_width);
    std::ranges::fill(out, Real(0));
    Real top = -math::infinity<Real>();
    Real sum = 0;
    for (std::size_t block = 0; block < item.keys; block += kKeysABlock) {
      const std::size_t end = std::min(item.keys, block + kKeysABlock);
      Real scores[kKeysABlock], tanh;
      Real higher = top;
      for (std::size_t j = block; j < end; ++j) {
        scores[j - block] = attention_score(item, i, j, &tanh);
        higher = math::max(scores[j - block], higher);
      }
      const Real base = attention_base(higher);
      const Real shrink = math::exp(top - base);
      sum = sum * shrink;
      for (Real& cell : out) cell = cell * shrink;
      for (std::size_t j = block; j < end; ++j) {
        if (scores[j - block] == -math::infinity<Real>()) continue;
        Real weight = math::exp(scores[j - block] - base);
        sum = sum + weight;
        if (item.dropped != nullptr) weight = weight * item.dropped[j * kQueriesAnItem + i];
        for (std::size_t c = 0; c < out.size(); ++c) {
          out[c] = math::fma(weight, item.v[j * item.v_stride + c], out[c]);
        }
      }
      top = higher;
    }
    const Real inverse = attention_inverse(sum);
    for (Real& cell : out) cell = math::fma(cell, inverse, Real(0));
    item.top[i * item.stats_stride] = top;
    item.sum[i * item.stats_stride] = sum;
  }
}

/// weights [queries, keys] written, by top and sum as forward left them, before dropout.
template <class Real>
void attention_weights(const AttentionItem<Real>& item, Real* weights) {
  for (std::size_t i = 0; i < item.queries; ++i) {
    const Real base = attention_base(item.top[i * item.stats_stride]);
    const Real inverse = attention_inverse(item.sum[i * item.stats_stride]);
    for (std::size_t j = 0; j < item.keys; ++j) {
      Real tanh;
      const Real score = attention_score(item, i, j, &tanh);
      const bool none = score == -math::infinity<Real>();
      weights[i * item.keys + j] = none ? Real(0) : math::exp(score - base) * inverse;
    }
  }
}

/// Queries ascending, and within a query keys ascending: each element of d_k and d_v is a chain
/// over queries. Their last step, attention_finish, is taken when all queries are done.
template <class Real>
void attention_backward(const AttentionItem<Real>& item, const AttentionItemGradient<Real>& to) {
  for (std::size_t i = 0; i < item.queries; ++i) {
    const Real base = attention_base(item.top[i * item.stats_stride]);
    const Real inverse = attention_inverse(item.sum[i * item.stats_stride]);
    const Real* d_out = to.d_out + i * to.d_out_stride;
    const Real* q = item.q + i * item.q_stride;
    const std::span<Real> d_q(to.d_q + i * to.d_q_stride, item.width);
    std::ranges::fill(d_q, Real(0));
    math::Lanes16<Real> mean;
    for (std::size_t c = 0; c < item.value_width; ++c) {
      mean.add_product(c, d_out[c], to.out[i * to.out_stride + c]);
    }
    const Real shift = mean.total();
    for (std::size_t j = 0; j < item.keys; ++j) {
      const std::size_t pair = j * kQueriesAnItem + i;
      Real tanh = 0;
      const Real score = attention_score(item, i, j, &tanh);
      if (to.d_scores != nullptr) to.d_scores[pair] = 0;
      if (score == -math::infinity<Real>()) continue;
      const Real weight = math::exp(score - base) * inverse;
      Real d_weight = 0;
      for (std::size_t c = 0; c < item.value_width; ++c) {
        d_weight = math::fma(item.v[j * item.v_stride + c], d_out[c], d_weight);
      }
      Real kept = weight;
      if (item.dropped != nullptr) {
        kept = kept * item.dropped[pair];
        d_weight = d_weight * item.dropped[pair];
      }
      Real d_score = weight * (d_weight - shift);
      if (item.soft_cap > 0) d_score = d_score * math::fma(-tanh, tanh, Real(1));
      if (to.d_scores != nullptr) to.d_scores[pair] = d_score;
      Real* d_k = to.d_k + j * to.d_k_stride;
      for (std::size_t d = 0; d < item.width; ++d) {
        d_q[d] = math::fma(d_score, item.k[j * item.k_stride + d], d_q[d]);
        d_k[d] = math::fma(d_score, q[d], d_k[d]);
      }
      Real* d_v = to.d_v + j * to.d_v_stride;
      for (std::size_t c = 0; c < item.value_width; ++c) {
        d_v[c] = math::fma(kept, d_out[c], d_v[c]);
      }
    }
    for (Real& cell : d_q) cell = math::fma(cell, item.scale, Real(0));
  }
}

/// The last step of d_k (`scale` the attention's) and d_v (`scale` 1).
template <class Real>
void attention_finish(Real* x, std::size_t stride, std::size_t rows, std::size_t cols, Real scale) {
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < cols; ++c) {
      x[r * stride + c] = math::fma(x[r * stride + c], scale, Real(0));
    }
  }
}

/// log of the sum of exp(score) from what forward leaves.
template <class Real>
Real attention_log_sum_exp(Real top, Real sum) {
  return top + math::log(sum);
}

/// An attention over a whole batch, in the words of ops/attention.h.
template <class Real>
struct Attention {
  std::size_t heads = 1, key_heads = 1;
  Real scale = 1;
  Real soft_cap = 0;
  Attend attend = Attend::full();
  const KeepMask* keep = nullptr;
  const Bias* bias = nullptr;
  MatrixView<const Real> learned_bias = {};
  const T5Buckets* buckets = nullptr;
  MatrixView<const Real> relative = {};
  std::span<const float> slopes = {};
  std::uint32_t threshold = 0;  ///< of dropout
  std::uint32_t op = 0;

  MatrixView<const Real> q = {}, k = {}, v = {};
  const Segments* queries = nullptr;
  const Segments* keys = nullptr;

  /// Calls visit(item, b, h, first query) for the items of sequence b's head h, in order.
  template <class Visit>
  void for_each_item(const Pass& pass, std::size_t b, std::size_t h, Visit visit) const {
    const Segments::Rows query_rows = (*queries)[b], key_rows = (*keys)[b];
    const std::size_t n = key_rows.size();
    const std::size_t key_head = h / (heads / key_heads);
    const std::size_t width = q.cols() / heads, value_width = v.cols() / key_heads;
    const Attend::Bounds bounds = attend.bounds(query_rows.size(), n);
    for (std::size_t first = 0; first < query_rows.size(); first += kQueriesAnItem) {
      const std::size_t count = std::min(kQueriesAnItem, query_rows.size() - first);
      std::vector<std::int32_t> begin, end, place;
      std::vector<std::uint8_t> kept(n * kQueriesAnItem, 1);
      std::vector<Real> added(n * kQueriesAnItem, Real(0)), dropped(n * kQueriesAnItem, Real(1));
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t query = first + i;
        begin.push_back(static_cast<std::int32_t>(bounds[query].begin));
        end.push_back(static_cast<std::int32_t>(bounds[query].end));
        place.push_back(static_cast<std::int32_t>(bounds.place(query)));
        std::vector<Real> factors(n, Real(1));
        if (pass.training && threshold > 0) {
          const std::size_t row = query_rows.begin + query;
          const std::size_t document = pass.documents->sequence_of(row);
          const auto draws = draw_key(pass.seed, pass.step, op);
          dropout(factors.data(), n, threshold, draws.data(), pass.document_numbers[document],
                  static_cast<std::uint32_t>(row - (*pass.documents)[document].begin),
                  static_cast<std::uint32_t>(h), factors.data());
        }
        for (std::size_t j = 0; j < n; ++j) {
          const std::size_t pair = j * kQueriesAnItem + i;
          if (keep != nullptr) kept[pair] = (*keep)(b, h, query, j) ? 1 : 0;
          // One sum, in this order, before it meets the score.
          Real sum = 0;
          if (bias != nullptr) sum = sum + Real(bias->row(b, h, query)[j]);
          if (learned_bias.rows() > 0) {
            sum = sum + learned_bias(h * (learned_bias.rows() / heads) + query, j);
          }
          if (buckets != nullptr) {
            sum = sum + relative(buckets->bucket(static_cast<std::ptrdiff_t>(j) - place[i]), h);
          }
          added[pair] = sum;
          dropped[pair] = factors[j];
        }
      }
      const bool adds = bias != nullptr || learned_bias.rows() > 0 || buckets != nullptr;
      AttentionItem<Real> item{.queries = count,
                               .keys = n,
                               .width = width,
                               .value_width = value_width,
                               .q = q.row(query_rows.begin + first).data() + h * width,
                               .k = k.row(key_rows.begin).data() + key_head * width,
                               .v = v.row(key_rows.begin).data() + key_head * value_width,
                               .q_stride = q.stride(),
                               .k_stride = k.stride(),
                               .v_stride = v.stride(),
                               .scale = scale,
                               .soft_cap = soft_cap,
                               .begin = begin.data(),
                               .end = end.data(),
                               .keep = keep == nullptr ? nullptr : kept.data(),
                               .bias = adds ? added.data() : nullptr,
                               .dropped = pass.training && threshold > 0 ? dropped.data() : nullptr,
                               .alibi = !slopes.empty(),
                               .slope = slopes.empty() ? Real(0) : Real(slopes[h]),
                               .place = place.data()};
      visit(item, query_rows.begin + first);
    }
  }

  /// out [Tq, H * E], top and sum [Tq, H] written; weights, sequence after sequence [H, Nq, Nk],
  /// written.
  void forward(const Pass& pass, MatrixView<Real> out, MatrixView<Real> top, MatrixView<Real> sum,
               std::span<Real> weights) const {
    Real* next = weights.data();
    const std::size_t value_width = v.cols() / key_heads;
    for (std::size_t b = 0; b < queries->count(); ++b) {
      for (std::size_t h = 0; h < heads; ++h) {
        for_each_item(pass, b, h, [&](AttentionItem<Real>& item, std::size_t row) {
          point(item, out, top, sum, row, h, value_width);
          attention_forward(item);
          attention_weights(item, next);
          next += item.queries * item.keys;
        });
      }
    }
  }

  /// The gradients of q, k, v written, those of biases (empty: none) added to.
  void backward(const Pass& pass, MatrixView<const Real> d_out, MatrixView<Real> out,
                MatrixView<Real> top, MatrixView<Real> sum, MatrixView<Real> d_q,
                MatrixView<Real> d_k, MatrixView<Real> d_v, MatrixView<Real> d_learned_bias,
                MatrixView<Real> d_relative) const {
    fill(d_k, Real(0));
    fill(d_v, Real(0));
    const std::size_t width = q.cols() / heads, value_width = v.cols() / key_heads;
    const Shards one(queries->total());
    const Shards& shards = pass.shards == nullptr ? one : *pass.shards;
    // Of each sequence, all that its scores' gradients add to a bias.
    std::vector<std::vector<Real>> learned(queries->count()), related(queries->count());
    for (std::size_t b = 0; b < queries->count(); ++b) {
      learned[b].assign(d_learned_bias.rows() * d_learned_bias.cols(), Real(0));
      related[b].assign(d_relative.rows() * d_relative.cols(), Real(0));
      const Attend::Bounds bounds = attend.bounds(queries->length(b), keys->length(b));
      for (std::size_t h = 0; h < heads; ++h) {
        const std::size_t key_head = h / (heads / key_heads);
        for_each_item(pass, b, h, [&](AttentionItem<Real>& item, std::size_t row) {
          point(item, out, top, sum, row, h, value_width);
          std::vector<Real> d_scores(item.keys * kQueriesAnItem);
          const std::size_t key_row = (*keys)[b].begin;
          const AttentionItemGradient<Real> to{
              .out = out.row(row).data() + h * value_width,
              .out_stride = out.stride(),
              .d_out = d_out.row(row).data() + h * value_width,
              .d_out_stride = d_out.stride(),
              .d_q = d_q.row(row).data() + h * width,
              .d_k = d_k.row(key_row).data() + key_head * width,
              .d_v = d_v.row(key_row).data() + key_head * value_width,
              .d_q_stride = d_q.stride(),
              .d_k_stride = d_k.stride(),
              .d_v_stride = d_v.stride(),
              .d_scores = d_scores.data()};
          attention_backward(item, to);
          const std::size_t first = row - (*queries)[b].begin;
          for (std::size_t i = 0; i < item.queries; ++i) {
            for (std::size_t j = 0; j < item.keys; ++j) {
              const Real d_score = d_scores[j * kQueriesAnItem + i];
              if (d_learned_bias.rows() > 0) {
                const std::size_t at = h * (d_learned_bias.rows() / heads) + first + i;
                learned[b][at * d_learned_bias.cols() + j] = d_score;
              }
              if (d_relative.rows() > 0) {
                const auto distance = static_cast<std::ptrdiff_t>(j) - bounds.place(first + i);
                Real& cell = related[b][buckets->bucket(distance) * heads + h];
                cell = cell + d_score;
              }
            }
          }
        });
      }
    }
    attention_finish(d_k.data(), d_k.stride(), d_k.rows(), d_k.cols(), scale);
    attention_finish(d_v.data(), d_v.stride(), d_v.rows(), d_v.cols(), Real(1));
    add_sequences(shards, learned, d_learned_bias);
    add_sequences(shards, related, d_relative);
  }

 private:
  void point(AttentionItem<Real>& item, MatrixView<Real> out, MatrixView<Real> top,
             MatrixView<Real> sum, std::size_t row, std::size_t h, std::size_t value_width) const {
    item.out = out.row(row).data() + h * value_width;
    item.out_stride = out.stride();
    item.top = &top(row, h);
    item.sum = &sum(row, h);
    item.stats_stride = top.stride();
  }

  // total += the sequences' parts: a chain over those of each shard, the shards in their tree.
  void add_sequences(const Shards& shards, const std::vector<std::vector<Real>>& parts,
                     MatrixView<Real> total) const {
    for (std::size_t cell = 0; cell < total.rows() * total.cols(); ++cell) {
      ShardTree<Real> tree;
      for (std::size_t s = 0; s < shards.count(); ++s) {
        if (shards[s].empty()) {
          tree.add_absent();
          continue;
        }
        Real chain = 0;
        for (std::size_t b = 0; b < parts.size(); ++b) {
          const std::size_t row = (*queries)[b].begin;
          if (row >= shards[s].begin && row < shards[s].end) chain = chain + parts[b][cell];
        }
        tree.add(chain);
      }
      Real& place = total(cell / total.cols(), cell % total.cols());
      place = place + tree.total();
    }
  }
};

}  // namespace padless::reference
