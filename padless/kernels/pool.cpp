// Sums, maxima and soft maxima of one sequence's rows.

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

// Columns side by side, each with its sixteen lanes over rows.
class Columns16 {
 public:
  HWY_INLINE Columns16() {
    for (Vec& lane : lanes_) lane = hn::Zero(Tag());
  }
  HWY_INLINE void add(std::size_t t, Vec cells) { lanes_[t % 16] = hn::Add(lanes_[t % 16], cells); }
  HWY_INLINE Vec total() const {
    Vec sums[8];
    for (std::size_t l = 0; l < 8; ++l) sums[l] = hn::Add(lanes_[l], lanes_[l + 8]);
    for (std::size_t half = 4; half > 0; half /= 2) {
      for (std::size_t l = 0; l < half; ++l) sums[l] = hn::Add(sums[l], sums[l + half]);
    }
    return sums[0];
  }

 private:
  Vec lanes_[16];
};

// What is taken off before the exponential: the maximum, where it is finite.
HWY_INLINE Vec shift_of(const float* x, std::size_t stride, std::size_t n, std::size_t columns) {
  const Tag d;
  const Vec infinity = hn::Set(d, coefficients::kInfinity);
  Vec top = hn::Neg(infinity);
  for (std::size_t t = 0; t < n; ++t) {
    const Vec cells = load_tail(x + t * stride, columns);
    top = hn::IfThenElse(hn::Gt(cells, top), cells, top);
  }
  return hn::IfThenElseZero(hn::Lt(hn::Abs(top), infinity), top);
}

HWY_INLINE Vec sum_of_exponentials(const float* x, std::size_t stride, std::size_t n,
                                   std::size_t columns, Vec shift) {
  Columns16 sum;
  for (std::size_t t = 0; t < n; ++t) {
    sum.add(t, exp(hn::Sub(load_tail(x + t * stride, columns), shift)));
  }
  return sum.total();
}

void log_sum_exp_forward(const float* x, std::size_t stride, std::size_t n, std::size_t cols,
                         float* out) {
  for (std::size_t j = 0; j < cols; j += kLanes) {
    const Vec shift = shift_of(x + j, stride, n, cols - j);
    const Vec sum = sum_of_exponentials(x + j, stride, n, cols - j, shift);
    store_tail(hn::Add(log(sum), shift), out + j, cols - j);
  }
}

void log_sum_exp_backward(const float* d_out, const float* x, std::size_t stride, std::size_t n,
                          std::size_t cols, float* d_x, std::size_t d_x_stride) {
  const Vec one = hn::Set(Tag(), 1.0f);
  for (std::size_t j = 0; j < cols; j += kLanes) {
    const std::size_t columns = cols - j;
    const Vec shift = shift_of(x + j, stride, n, columns);
    const Vec scale = hn::Div(one, sum_of_exponentials(x + j, stride, n, columns, shift));
    const Vec upstream = load_tail(d_out + j, columns);
    for (std::size_t t = 0; t < n; ++t) {
      const Vec e = exp(hn::Sub(load_tail(x + t * stride + j, columns), shift));
      store_tail(hn::Mul(upstream, hn::Mul(e, scale)), d_x + t * d_x_stride + j, columns);
    }
  }
}

}  // namespace

void add_pool(Table& table) {
  table.pool_sum_forward = sum_forward;
  table.pool_sum_backward = sum_backward;
  table.pool_max_forward = max_forward;
  table.pool_max_backward = max_backward;
  table.pool_log_sum_exp_forward = log_sum_exp_forward;
  table.pool_log_sum_exp_backward = log_sum_exp_backward;
}

}  // namespace padless::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
