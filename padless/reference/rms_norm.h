// Root-mean-square normalisation: each row divided by the root of the mean of its squares, then
// scaled by column. Source: Zhang and Sennrich, "Root mean square layer normalization" (NeurIPS
// 2019), equation 4.
#pragma once

#include <cstddef>
#include <span>

#include "padless/batch/shards.h"
#include "padless/core/matrix.h"
#include "padless/reference/linear.h"
#include "padless/reference/math.h"

namespace padless::reference {

/// One row of cols >= 1 numbers: y = (x * rstd) * gamma, where rstd = 1 / sqrt(mean of x^2 +
/// epsilon). x, gamma [cols]; y [cols] and rstd written.
template <class Real>
void rms_norm_forward(const Real* x, const Real* gamma, std::size_t cols, Real epsilon, Real* y,
                      Real* rstd) {
  math::Lanes16<Real> squares;
  for (std::size_t c = 0; c < cols; ++c) squares.add_product(c, x[c], x[c]);
  const Real mean = squares.total() / Real(static_cast<float>(cols));
  *rstd = Real(1) / math::sqrt(mean + epsilon);
  for (std::size_t c = 0; c < cols; ++c) y[c] = (x[c] * *rstd) * gamma[c];
}

/// One row: d_x = rstd * (g - n * mean of (g * n)), where n = x * rstd and g = d_y * gamma.
/// d_y, x, gamma [cols], rstd as forward left it; d_x [cols] written.
template <class Real>
void rms_norm_backward_input(const Real* d_y, const Real* x, const Real* gamma, Real rstd,
                             std::size_t cols, Real* d_x) {
  math::Lanes16<Real> products;
  for (std::size_t c = 0; c < cols; ++c) {
    products.add_product(c, d_y[c] * gamma[c], x[c] * rstd);
  }
  const Real slope = products.total() / Real(static_cast<float>(cols));
  for (std::size_t c = 0; c < cols; ++c) {
    d_x[c] = rstd * math::fma(-(x[c] * rstd), slope, d_y[c] * gamma[c]);
  }
}

/// d_gamma[c] += over shards, chains over their rows of fma(d_y[t, c], x[t, c] * rstd[t], .).
/// d_y, x [T, cols], rstd [T]; d_gamma [cols] added to; `bounds` cuts T.
template <class Real>
void rms_norm_backward_weight(const Real* d_y, std::size_t d_y_stride, const Real* x,
                              std::size_t x_stride, const Real* rstd, const std::size_t* bounds,
                              std::size_t shards, std::size_t cols, Real* d_gamma) {
  for (std::size_t c = 0; c < cols; ++c) {
    d_gamma[c] = d_gamma[c] + sum_over_shards<Real>(bounds, shards, [&](Real total, std::size_t t) {
                   return math::fma(d_y[t * d_y_stride + c], x[t * x_stride + c] * rstd[t], total);
                 });
  }
}

/// x [T, C], gamma [C]; y [T, C], rstd [T] written.
template <class Real>
void rms_norm_forward(MatrixView<const Real> x, std::span<const Real> gamma, Real epsilon,
                      MatrixView<Real> y, std::span<Real> rstd) {
  for (std::size_t t = 0; t < x.rows(); ++t) {
    rms_norm_forward(x.row(t).data(), gamma.data(), x.cols(), epsilon, y.row(t).data(), &rstd[t]);
  }
}

/// d_y, x [T, C], gamma [C], rstd [T]; d_x [T, C] written.
template <class Real>
void rms_norm_backward_input(MatrixView<const Real> d_y, MatrixView<const Real> x,
                             std::span<const Real> gamma, std::span<const Real> rstd,
                             MatrixView<Real> d_x) {
  for (std::size_t t = 0; t < x.rows(); ++t) {
    rms_norm_backward_input(d_y.row(t).data(), x.row(t).data(), gamma.data(), rstd[t], x.cols(),
                            d_x.row(t).data());
  }
}

/// d_y, x [T, C], rstd [T]; d_gamma [C] added to.
template <class Real>
void rms_norm_backward_weight(MatrixView<const Real> d_y, MatrixView<const Real> x,
                              std::span<const Real> rstd, const Shards& shards,
                              std::span<Real> d_gamma) {
  rms_norm_backward_weight(d_y.data(), d_y.stride(), x.data(), x.stride(), rstd.data(),
                           shards.bounds().data(), shards.count(), x.cols(), d_gamma.data());
}

}  // namespace padless::reference
