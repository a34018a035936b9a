// Layer normalisation: each row moved to mean 0 and variance 1, then scaled and shifted by column.
// Source: Ba, Kiros and Hinton, "Layer normalization" (2016), equations 3 and 4.
#pragma once

#include <cstddef>
#include <span>

#include "padless/batch/shards.h"
#include "padless/core/matrix.h"
#include "padless/reference/linear.h"
#include "padless/reference/math.h"

namespace padless::reference {

/// One row of cols >= 1 numbers: y = fma((x - mean) * rstd, gamma, beta), where rstd = 1 / sqrt(var
/// + epsilon). x, gamma, beta [cols]; y [cols], mean and rstd written.
template <class Real>
void layer_norm_forward(const Real* x, const Real* gamma, const Real* beta, std::size_t cols,
                        Real epsilon, Real* y, Real* mean, Real* rstd) {
  const Real count(static_cast<float>(cols));
  math::Lanes16<Real> sum;
  for (std::size_t c = 0; c < cols; ++c) sum.add(c, x[c]);
  *mean = sum.total() / count;
  math::Lanes16<Real> squares;
  for (std::size_t c = 0; c < cols; ++c) {
    const Real off = x[c] - *mean;
    squares.add_product(c, off, off);
  }
  *rstd = Real(1) / math::sqrt(squares.total() / count + epsilon);
  for (std::size_t c = 0; c < cols; ++c) {
    y[c] = math::fma((x[c] - *mean) * *rstd, gamma[c], beta[c]);
  }
}

/// One row: d_x = rstd * (g - mean of g - n * mean of (g * n)), where n = (x - mean) * rstd and
/// g = d_y * gamma. d_y, x, gamma [cols], mean and rstd as forward left them; d_x [cols] written.
template <class Real>
void layer_norm_backward_input(const Real* d_y, const Real* x, const Real* gamma, Real mean,
                               Real rstd, std::size_t cols, Real* d_x) {
  const Real count(static_cast<float>(cols));
  math::Lanes16<Real> sum, products;
  for (std::size_t c = 0; c < cols; ++c) {
    const Real g = d_y[c] * gamma[c];
    sum.add(c, g);
    products.add_product(c, g, (x[c] - mean) * rstd);
  }
  const Real shift = sum.total() / count;
  const Real slope = products.total() / count;
  for (std::size_t c = 0; c < cols; ++c) {
    const Real n = (x[c] - mean) * rstd;
    d_x[c] = rstd * math::fma(-n, slope, d_y[c] * gamma[c] - shift);
  }
}

/// d_gamma[c] += over shards, chains over their rows of fma(d_y[t, c], (x[t, c] - mean[t]) *
/// rstd[t], .); d_beta[c] += the same of the plain sum of d_y[t, c]. d_y, x [T, cols], mean, rstd
/// [T]; d_gamma, d_beta [cols] added to; `bounds` cuts T.
template <class Real>
void layer_norm_backward_weight(const Real* d_y, std::size_t d_y_stride, const Real* x,
                                std::size_t x_stride, const Real* mean, const Real* rstd,
                                const std::size_t* bounds, std::size_t shards, std::size_t cols,
                                Real* d_gamma, Real* d_beta) {
  for (std::size_t c = 0; c < cols; ++c) {
    d_gamma[c] = d_gamma[c] + sum_over_shards<Real>(bounds, shards, [&](Real total, std::size_t t) {
                   const Real n = (x[t * x_stride + c] - mean[t]) * rstd[t];
                   return math::fma(d_y[t * d_y_stride + c], n, total);
                 });
    d_beta[c] = d_beta[c] + sum_over_shards<Real>(bounds, shards, [&](Real total, std::size_t t) {
                  return total + d_y[t * d_y_stride + c];
                });
  }
}

/// x [T, C], gamma, beta [C]; y [T, C], mean [T], rstd [T] written.
template <class Real>
void layer_norm_forward(MatrixView<const Real> x, std::span<const Real> gamma,
                        std::span<const Real> beta, Real epsilon, MatrixView<Real> y,
                        std::span<Real> mean, std::span<Real> rstd) {
  for (std::size_t t = 0; t < x.rows(); ++t) {
    layer_norm_forward(x.row(t).data(), gamma.data(), beta.data(), x.cols(), epsilon,
                       y.row(t).data(), &mean[t], &rstd[t]);
  }
}

/// d_y, x [T, C], gamma [C], mean, rstd [T]; d_x [T, C] written.
template <class Real>
void layer_norm_backward_input(MatrixView<const Real> d_y, MatrixView<const Real> x,
                               std::span<const Real> gamma, std::span<const Real> mean,
                               std::span<const Real> rstd, MatrixView<Real> d_x) {
  for (std::size_t t = 0; t < x.rows(); ++t) {
    layer_norm_backward_input(d_y.row(t).data(), x.row(t).data(), gamma.data(), mean[t], rstd[t],
                              x.cols(), d_x.row(t).data());
  }
}

/// d_y, x [T, C], mean, rstd [T]; d_gamma, d_beta [C] added to.
template <class Real>
void layer_norm_backward_weight(MatrixView<const Real> d_y, MatrixView<const Real> x,
                                std::span<const Real> mean, std::span<const Real> rstd,
                                const Shards& shards, std::span<Real> d_gamma,
                                std::span<Real> d_beta) {
  layer_norm_backward_weight(d_y.data(), d_y.stride(), x.data(), x.stride(), mean.data(),
                             rstd.data(), shards.bounds().data(), shards.count(), x.cols(),
                             d_gamma.data(), d_beta.data());
}

}  // namespace padless::reference
