// Scores of additive attention: u . tanh(h), h = W x + b being a linear layer's output.
// Source: Yang et al., "Hierarchical attention networks for document classification" (NAACL 2016),
// equations 5 and 6.
#pragma once

#include <cstddef>
#include <span>

#include "padless/batch/shards.h"
#include "padless/core/matrix.h"
#include "padless/reference/linear.h"
#include "padless/reference/math.h"

namespace padless::reference {

/// h [rows, cols], context [cols]; u = tanh(h) [rows, cols] written, scores [rows] written.
template <class Real>
void additive_scores_forward(const Real* h, std::size_t h_stride, const Real* context,
                             std::size_t rows, std::size_t cols, Real* u, std::size_t u_stride,
                             Real* scores) {
  for (std::size_t t = 0; t < rows; ++t) {
    math::Lanes16<Real> score;
    for (std::size_t c = 0; c < cols; ++c) {
      u[t * u_stride + c] = math::tanh(h[t * h_stride + c]);
      score.add_product(c, u[t * u_stride + c], context[c]);
    }
    scores[t] = score.total();
  }
}

/// d_scores [rows], u [rows, cols] as forward left it, context [cols]; d_h [rows, cols] written.
template <class Real>
void additive_scores_backward(const Real* d_scores, const Real* u, std::size_t u_stride,
                              const Real* context, std::size_t rows, std::size_t cols, Real* d_h,
                              std::size_t d_h_stride) {
  for (std::size_t t = 0; t < rows; ++t) {
    for (std::size_t c = 0; c < cols; ++c) {
      const Real cell = u[t * u_stride + c];
      d_h[t * d_h_stride + c] = (d_scores[t] * context[c]) * math::fma(-cell, cell, Real(1));
    }
  }
}

/// h [T, A], context [A]; u [T, A] written, scores [T] written.
template <class Real>
void additive_scores_forward(MatrixView<const Real> h, std::span<const Real> context,
                             MatrixView<Real> u, std::span<Real> scores) {
  additive_scores_forward(h.data(), h.stride(), context.data(), h.rows(), h.cols(), u.data(),
                          u.stride(), scores.data());
}

/// d_scores [T], u [T, A], context [A]; d_h [T, A] written, d_context [A] added to (over shards,
/// chains over rows of fma(d_scores[t], u[t, a], .)).
template <class Real>
void additive_scores_backward(std::span<const Real> d_scores, MatrixView<const Real> u,
                              std::span<const Real> context, const Shards& shards,
                              MatrixView<Real> d_h, std::span<Real> d_context) {
  additive_scores_backward(d_scores.data(), u.data(), u.stride(), context.data(), u.rows(),
                           u.cols(), d_h.data(), d_h.stride());
  linear_backward_weight<Real>({d_scores.data(), d_scores.size(), 1}, u, shards,
                               {d_context.data(), 1, d_context.size()});
}

}  // namespace padless::reference
