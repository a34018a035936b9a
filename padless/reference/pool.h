// Pooling: each sequence's rows as one row, without weights.
#pragma once

#include <cstddef>

#include "padless/batch/segments.h"
#include "padless/core/matrix.h"
#include "padless/reference/math.h"

namespace padless::reference {

/// One sequence of n >= 1 rows: out = (chain over t of x[t]) / divisor. The divisor is 1 for a sum,
/// n for a mean, sqrt(n) for the square-root-length mean. x [n, cols], out [cols] written.
template <class Real>
void pool_sum_forward(const Real* x, std::size_t stride, std::size_t n, std::size_t cols,
                      Real divisor, Real* out) {
  for (std::size_t c = 0; c < cols; ++c) {
    Real sum = 0;
    for (std::size_t t = 0; t < n; ++t) sum = sum + x[t * stride + c];
    out[c] = sum / divisor;
  }
}

/// d_out [cols]; d_x [n, cols] written: d_out / divisor in every row.
template <class Real>
void pool_sum_backward(const Real* d_out, std::size_t n, std::size_t cols, Real divisor, Real* d_x,
                       std::size_t d_x_stride) {
  for (std::size_t t = 0; t < n; ++t) {
    for (std::size_t c = 0; c < cols; ++c) d_x[t * d_x_stride + c] = d_out[c] / divisor;
  }
}

/// The row of the maximum of one column of n >= 1 rows: the first of the largest, or the first NaN
/// where there is one. The value is max(x[t], best) from the first row on, for all but NaN: that
/// one would be lost behind the first row.
template <class Real>
std::size_t row_of_max(const Real* column, std::size_t stride, std::size_t n) {
  const auto is_nan = [](Real value) { return !(value == value); };
  std::size_t best = 0;
  for (std::size_t t = 1; t < n; ++t) {
    const Real value = column[t * stride], top = column[best * stride];
    if (!is_nan(top) && (value > top || is_nan(value))) best = t;
  }
  return best;
}

/// One sequence of n >= 1 rows. x [n, cols], out [cols] written.
template <class Real>
void pool_max_forward(const Real* x, std::size_t stride, std::size_t n, std::size_t cols,
                      Real* out) {
  for (std::size_t c = 0; c < cols; ++c) out[c] = x[row_of_max(x + c, stride, n) * stride + c];
}

/// d_out [cols], x [n, cols]; d_x [n, cols] written: d_out in the row of the maximum, else 0.
template <class Real>
void pool_max_backward(const Real* d_out, const Real* x, std::size_t stride, std::size_t n,
                       std::size_t cols, Real* d_x, std::size_t d_x_stride) {
  for (std::size_t c = 0; c < cols; ++c) {
    const std::size_t best = row_of_max(x + c, stride, n);
    for (std::size_t t = 0; t < n; ++t) d_x[t * d_x_stride + c] = t == best ? d_out[c] : Real(0);
  }
}

/// What is taken off a column before the exponential: the maximum, but an infinite one would leave
/// NaN of itself.
template <class Real>
Real log_sum_exp_shift(const Real* column, std::size_t stride, std::size_t n) {
  Real top = -math::infinity<Real>();
  for (std::size_t t = 0; t < n; ++t) top = math::max(column[t * stride], top);
  const bool finite = top < math::infinity<Real>() && top > -math::infinity<Real>();
  return finite ? top : Real(0);
}

/// One sequence of n >= 1 rows: out = log of the sum over t of exp(x[t]), in the order lanes16.
/// x [n, cols], out [cols] written.
template <class Real>
void pool_log_sum_exp_forward(const Real* x, std::size_t stride, std::size_t n, std::size_t cols,
                              Real* out) {
  for (std::size_t c = 0; c < cols; ++c) {
    const Real shift = log_sum_exp_shift(x + c, stride, n);
    math::Lanes16<Real> sum;
    for (std::size_t t = 0; t < n; ++t) sum.add(t, math::exp(x[t * stride + c] - shift));
    out[c] = math::log(sum.total()) + shift;
  }
}

/// d_out [cols], x [n, cols]; d_x [n, cols] written: d_out times the softmax of the column. Not
/// exp(x - out): far from 0 the rounding of out would reach the exponent.
template <class Real>
void pool_log_sum_exp_backward(const Real* d_out, const Real* x, std::size_t stride, std::size_t n,
                               std::size_t cols, Real* d_x, std::size_t d_x_stride) {
  for (std::size_t c = 0; c < cols; ++c) {
    const Real shift = log_sum_exp_shift(x + c, stride, n);
    math::Lanes16<Real> sum;
    for (std::size_t t = 0; t < n; ++t) sum.add(t, math::exp(x[t * stride + c] - shift));
    const Real scale = Real(1) / sum.total();
    for (std::size_t t = 0; t < n; ++t) {
      d_x[t * d_x_stride + c] = d_out[c] * (math::exp(x[t * stride + c] - shift) * scale);
    }
  }
}

/// Sums, or means: divisor(n) tells by what a sum of n rows is divided. No rows: a zero row.
/// x [T, C], out [B, C] written.
template <class Real, class Divisor>
void pool_sum_forward(MatrixView<const Real> x, const Segments& segs, Divisor divisor,
                      MatrixView<Real> out) {
  fill(out, Real(0));
  for (std::size_t b = 0; b < segs.count(); ++b) {
    const auto [begin, end] = segs[b];
    if (begin == end) continue;
    pool_sum_forward(x.row(begin).data(), x.stride(), end - begin, x.cols(), divisor(end - begin),
                     out.row(b).data());
  }
}

/// d_out [B, C], d_x [T, C] written.
template <class Real, class Divisor>
void pool_sum_backward(MatrixView<const Real> d_out, const Segments& segs, Divisor divisor,
                       MatrixView<Real> d_x) {
  for (std::size_t b = 0; b < segs.count(); ++b) {
    const auto [begin, end] = segs[b];
    if (begin == end) continue;
    pool_sum_backward(d_out.row(b).data(), end - begin, d_x.cols(), divisor(end - begin),
                      d_x.row(begin).data(), d_x.stride());
  }
}

/// x [T, C], out [B, C] written. No rows: a zero row, never -infinity.
template <class Real>
void pool_max_forward(MatrixView<const Real> x, const Segments& segs, MatrixView<Real> out) {
  fill(out, Real(0));
  for (std::size_t b = 0; b < segs.count(); ++b) {
    const auto [begin, end] = segs[b];
    if (begin == end) continue;
    pool_max_forward(x.row(begin).data(), x.stride(), end - begin, x.cols(), out.row(b).data());
  }
}

/// x [T, C], out [B, C] written. No rows: a zero row, never -infinity.
template <class Real>
void pool_log_sum_exp_forward(MatrixView<const Real> x, const Segments& segs,
                              MatrixView<Real> out) {
  fill(out, Real(0));
  for (std::size_t b = 0; b < segs.count(); ++b) {
    const auto [begin, end] = segs[b];
    if (begin == end) continue;
    pool_log_sum_exp_forward(x.row(begin).data(), x.stride(), end - begin, x.cols(),
                             out.row(b).data());
  }
}

/// d_out [B, C], x [T, C], d_x [T, C] written.
template <class Real>
void pool_log_sum_exp_backward(MatrixView<const Real> d_out, MatrixView<const Real> x,
                               const Segments& segs, MatrixView<Real> d_x) {
  for (std::size_t b = 0; b < segs.count(); ++b) {
    const auto [begin, end] = segs[b];
    if (begin == end) continue;
    pool_log_sum_exp_backward(d_out.row(b).data(), x.row(begin).data(), x.stride(), end - begin,
                              x.cols(), d_x.row(begin).data(), d_x.stride());
  }
}

/// d_out [B, C], x [T, C], d_x [T, C] written.
template <class Real>
void pool_max_backward(MatrixView<const Real> d_out, MatrixView<const Real> x, const Segments& segs,
                       MatrixView<Real> d_x) {
  for (std::size_t b = 0; b < segs.count(); ++b) {
    const auto [begin, end] = segs[b];
    if (begin == end) continue;
    pool_max_backward(d_out.row(b).data(), x.row(begin).data(), x.stride(), end - begin, x.cols(),
                      d_x.row(begin).data(), d_x.stride());
  }
}

}  // namespace padless::reference
