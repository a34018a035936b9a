// Sums and maxima of one sequence's rows.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "padless/kernels/pool.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.h, which includes this file once a target:
#include "padless/kernels/kernels.h"
#include "padless/kernels/simd.h"

HWY_BEFORE_NAMESPACE();
namespace padless::kernels::HWY_NAMESPACE {
namespace {

void sum_forward(const float* x, std::size_t stride, std::size_t n, std::size_t cols, float divisor,
                 float* out) {
  const Tag d;
  for (std::size_t j = 0; j < cols; j += kLanes) {
    Vec sum = hn::Zero(d);
    for (std::size_t t = 0; t < n; ++t) {
      sum = hn::Add(sum, load_tail(x + t * stride + j, cols - j));
    }
    store_tail(hn::Div(sum, hn::Set(d, divisor)), out + j, cols - j);
  }
}

void sum_backward(const float* d_out, std::size_t n, std::size_t cols, float divisor, float* d_x,
                  std::size_t d_x_stride) {
  for (std::size_t j = 0; j < cols; j += kLanes) {
    const Vec share = hn::Div(load_tail(d_out + j, cols - j), hn::Set(Tag(), divisor));
    for (std::size_t t = 0; t < n; ++t) store_tail(share, d_x + t * d_x_stride + j, cols - j);
  }
}

// The maxima of a vector of columns.
HWY_INLINE Vec top_of(const float* x, std::size_t stride, std::size_t n, std::size_t columns) {
  Vec top = load_tail(x, columns);
  for (std::size_t t = 1; t < n; ++t) {
    const Vec cell = load_tail(x + t * stride, columns);
    // Greater, or NaN; but the first NaN stays.
    const auto better = hn::AndNot(hn::IsNaN(top), hn::Not(hn::Le(cell, top)));
    top = hn::IfThenElse(better, cell, top);
  }
  return top;
}

void max_forward(const float* x, std::size_t stride, std::size_t n, std::size_t cols, float* out) {
  for (std::size_t j = 0; j < cols; j += kLanes) {
    store_tail(top_of(x + j, stride, n, cols - j), out + j, cols - j);
  }
}

// The first row that equals the maximum takes the gradient.
void max_backward(const float* d_out, const float* x, std::size_t stride, std::size_t n,
                  std::size_t cols, float* d_x, std::size_t d_x_stride) {
  for (std::size_t j = 0; j < cols; j += kLanes) {
    const std::size_t columns = cols - j;
    const Vec top = top_of(x + j, stride, n, columns);
    const Vec upstream = load_tail(d_out + j, columns);
    auto taken = hn::FirstN(Tag(), 0);
    for (std::size_t t = 0; t < n; ++t) {
      const Vec cell = load_tail(x + t * stride + j, columns);
      const auto equal = hn::Or(hn::Eq(cell, top), hn::And(hn::IsNaN(cell), hn::IsNaN(top)));
      const auto takes = hn::AndNot(taken, equal);
      store_tail(hn::IfThenElseZero(takes, upstream), d_x + t * d_x_stride + j, columns);
      taken = hn::Or(taken, equal);
    }
  }
}

}  // namespace

void add_pool(Table& table) {
  table.pool_sum_forward = sum_forward;
  table.pool_sum_backward = sum_backward;
  table.pool_max_forward = max_forward;
  table.pool_max_backward = max_backward;
}

}  // namespace padless::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
