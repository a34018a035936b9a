// y = x W^T + b.
#pragma once

#include <cstddef>
#include <span>

#include "padless/batch/shards.h"
#include "padless/core/matrix.h"
#include "padless/reference/math.h"
#include "padless/reference/shard_tree.h"

namespace padless::reference {

/// y[t, n] = (chain over k of fma(x[t, k], w[n, k], .)) + bias[n]; no bias where it is empty.
/// x [T, K], w [N, K], bias [N] or none, y [T, N] written.
template <class Real>
void linear_forward(MatrixView<const Real> x, MatrixView<const Real> w, std::span<const Real> bias,
                    MatrixView<Real> y) {
  for (std::size_t t = 0; t < x.rows(); ++t) {
    for (std::size_t n = 0; n < w.rows(); ++n) {
      Real sum = 0;
      for (std::size_t k = 0; k < w.cols(); ++k) sum = math::fma(x(t, k), w(n, k), sum);
      y(t, n) = bias.empty() ? sum : sum + bias[n];
    }
  }
}

/// d_x[t, k] = chain over n of fma(d_y[t, n], w[n, k], .). d_y [T, N], w [N, K], d_x [T, K]
/// written.
template <class Real>
void linear_backward_input(MatrixView<const Real> d_y, MatrixView<const Real> w,
                           MatrixView<Real> d_x) {
  for (std::size_t t = 0; t < d_y.rows(); ++t) {
    for (std::size_t k = 0; k < w.cols(); ++k) {
      Real sum = 0;
      for (std::size_t n = 0; n < w.rows(); ++n) sum = math::fma(d_y(t, n), w(n, k), sum);
      d_x(t, k) = sum;
    }
  }
}

/// d_w[n, k] += over shards, chains over their rows of fma(d_y[t, n], x[t, k], .).
/// d_y [T, N], x [T, K], d_w [N, K] added to; `bounds` cuts T.
template <class Real>
void linear_backward_weight(MatrixView<const Real> d_y, MatrixView<const Real> x,
                            const std::size_t* bounds, std::size_t shards, MatrixView<Real> d_w) {
  for (std::size_t n = 0; n < d_w.rows(); ++n) {
    for (std::size_t k = 0; k < d_w.cols(); ++k) {
      const auto term = [&](Real sum, std::size_t t) { return math::fma(d_y(t, n), x(t, k), sum); };
      d_w(n, k) = d_w(n, k) + sum_over_shards<Real>(bounds, shards, term);
    }
  }
}
template <class Real>
void linear_backward_weight(MatrixView<const Real> d_y, MatrixView<const Real> x,
                            const Shards& shards, MatrixView<Real> d_w) {
  linear_backward_weight<Real>(d_y, x, shards.bounds().data(), shards.count(), d_w);
}

/// total[c] += over shards, chains over their rows of the plain sum of x[t, c].
/// x [T, C], total [C] added to; `bounds` cuts T. The gradient of a bias.
template <class Real>
void sum_rows(MatrixView<const Real> x, const std::size_t* bounds, std::size_t shards,
              std::span<Real> total) {
  for (std::size_t c = 0; c < x.cols(); ++c) {
    const auto term = [&](Real sum, std::size_t t) { return sum + x(t, c); };
    total[c] = total[c] + sum_over_shards<Real>(bounds, shards, term);
  }
}
template <class Real>
void sum_rows(MatrixView<const Real> x, const Shards& shards, std::span<Real> total) {
  sum_rows<Real>(x, shards.bounds().data(), shards.count(), total);
}

}  // namespace padless::reference
