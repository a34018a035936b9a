// Attention pooling: each sequence's rows, weighted by the softmax of their scores.
#pragma once

#include <cstddef>
#include <span>

#include "padless/batch/segments.h"
#include "padless/core/matrix.h"
#include "padless/reference/math.h"

namespace padless::reference {

/// One sequence of n >= 1 rows: weights = softmax of scores; out = sum of weights[t] * x[t].
/// x [n, cols], scores [n], out [cols] written, weights [n] written.
template <class Real>
void attention_pool_forward(const Real* x, std::size_t stride, const Real* scores, std::size_t n,
                            std::size_t cols, Real* out, Real* weights) {
  Real top = -math::infinity<Real>();
  for (std::size_t t = 0; t < n; ++t) top = math::max(scores[t], top);
  math::Lanes16<Real> sum;
  for (std::size_t t = 0; t < n; ++t) sum.add(t, weights[t] = math::exp(scores[t] - top));
  const Real scale = Real(1) / sum.total();
  for (std::size_t t = 0; t < n; ++t) weights[t] *= scale;
  for (std::size_t c = 0; c < cols; ++c) {
    Real pooled = 0;
    for (std::size_t t = 0; t < n; ++t) pooled = math::fma(weights[t], x[t * stride + c], pooled);
    out[c] = pooled;
  }
}

/// One sequence of n >= 1 rows. d_out [cols], x [n, cols], weights [n] as forward left them;
/// d_x [n, cols] written, d_scores [n] written.
template <class Real>
void attention_pool_backward(const Real* d_out, const Real* x, std::size_t stride,
                             const Real* weights, std::size_t n, std::size_t cols, Real* d_x,
                             std::size_t d_x_stride, Real* d_scores) {
  // The softmax's backward: d_score = weight * (d_weight - mean of d_weight under the weights).
  math::Lanes16<Real> mean;
  for (std::size_t t = 0; t < n; ++t) {
    math::Lanes16<Real> d_weight;
    for (std::size_t c = 0; c < cols; ++c) d_weight.add_product(c, d_out[c], x[t * stride + c]);
    d_scores[t] = d_weight.total();
    mean.add_product(t, weights[t], d_scores[t]);
  }
  const Real shift = mean.total();
  for (std::size_t t = 0; t < n; ++t) {
    d_scores[t] = weights[t] * (d_scores[t] - shift);
    for (std::size_t c = 0; c < cols; ++c) d_x[t * d_x_stride + c] = weights[t] * d_out[c];
  }
}

/// x [T, C], scores [T], out [B, C] written, weights [T] written. No rows: a zero row.
template <class Real>
void attention_pool_forward(MatrixView<const Real> x, std::span<const Real> scores,
                            const Segments& segs, MatrixView<Real> out, std::span<Real> weights) {
  fill(out, Real(0));
  for (std::size_t b = 0; b < segs.count(); ++b) {
    const auto [begin, end] = segs[b];
    if (begin == end) continue;
    attention_pool_forward(x.row(begin).data(), x.stride(), &scores[begin], end - begin, x.cols(),
                           out.row(b).data(), &weights[begin]);
  }
}

/// d_out [B, C], x [T, C], weights [T]; d_x [T, C] written, d_scores [T] written.
template <class Real>
void attention_pool_backward(MatrixView<const Real> d_out, MatrixView<const Real> x,
                             std::span<const Real> weights, const Segments& segs,
                             MatrixView<Real> d_x, std::span<Real> d_scores) {
  for (std::size_t b = 0; b < segs.count(); ++b) {
    const auto [begin, end] = segs[b];
    if (begin == end) continue;
    attention_pool_backward(d_out.row(b).data(), x.row(begin).data(), x.stride(), &weights[begin],
                            end - begin, x.cols(), d_x.row(begin).data(), d_x.stride(),
                            &d_scores[begin]);
  }
}

}  // namespace padless::reference
