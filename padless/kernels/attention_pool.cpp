// Attention pooling of one sequence.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "padless/kernels/attention_pool.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.h, which includes this file once a target:
#include "padless/kernels/kernels.h"
#include "padless/kernels/softmax.h"

HWY_BEFORE_NAMESPACE();
namespace padless::kernels::HWY_NAMESPACE {
namespace {

// out[j..] for `kVectors` vectors of columns. Columns outside, rows inside: the accumulators stay
// in registers for all n rows, and several of them hide each other's latency.
template <std::size_t kVectors>
HWY_INLINE void pool_columns(const float* x, std::size_t stride, const float* weights,
                             std::size_t n, std::size_t cols, float* out) {
  const Tag d;
  Vec acc[kVectors];
  for (Vec& part : acc) part = hn::Zero(d);
  for (std::size_t t = 0; t < n; ++t) {
    const Vec weight = hn::Set(d, weights[t]);
    for (std::size_t v = 0; v + 1 < kVectors; ++v) {
      acc[v] = hn::MulAdd(weight, hn::LoadU(d, x + t * stride + v * kLanes), acc[v]);
    }
    constexpr std::size_t kLast = (kVectors - 1) * kLanes;
    acc[kVectors - 1] =
        hn::MulAdd(weight, load_tail(x + t * stride + kLast, cols - kLast), acc[kVectors - 1]);
  }
  for (std::size_t v = 0; v < kVectors; ++v) {
    store_tail(acc[v], out + v * kLanes, cols - v * kLanes);
  }
}

void forward(const float* x, std::size_t stride, const float* scores, std::size_t n,
             std::size_t cols, float* out, float* weights) {
  softmax(scores, n, weights);
  for (std::size_t j = 0; j < cols;) {
    const std::size_t left = cols - j;
    if (left > 3 * kLanes) {
      pool_columns<4>(x + j, stride, weights, n, left, out + j);
      j += 4 * kLanes;
    } else if (left > kLanes) {
      pool_columns<2>(x + j, stride, weights, n, left, out + j);
      j += 2 * kLanes;
    } else {
      pool_columns<1>(x + j, stride, weights, n, left, out + j);
      j += kLanes;
    }
  }
}

void backward(const float* d_out, const float* x, std::size_t stride, const float* weights,
              std::size_t n, std::size_t cols, float* d_x, std::size_t d_x_stride,
              float* d_scores) {
  const Tag d;
  for (std::size_t t = 0; t < n; ++t) {
    const Vec weight = hn::Set(d, weights[t]);
    Lanes16 d_weight;
    for (std::size_t j = 0; j < cols; j += 16) {
      for (std::size_t p = 0; p < Lanes16::kParts && j + p * kLanes < cols; ++p) {
        const std::size_t at = j + p * kLanes;
        const Vec upstream = load_tail(d_out + at, cols - at);
        d_weight.add_product(p, upstream, load_tail(x + t * stride + at, cols - at), cols - at);
        store_tail(hn::Mul(weight, upstream), d_x + t * d_x_stride + at, cols - at);
      }
    }
    d_scores[t] = d_weight.total();
  }
  Lanes16 mean;
  for (std::size_t t = 0; t < n; t += 16) {
    for (std::size_t p = 0; p < Lanes16::kParts && t + p * kLanes < n; ++p) {
      const std::size_t at = t + p * kLanes;
      mean.add_product(p, load_tail(weights + at, n - at), load_tail(d_scores + at, n - at),
                       n - at);
    }
  }
  const Vec shift = hn::Set(d, mean.total());
  for (std::size_t t = 0; t < n; t += kLanes) {
    const Vec moved = hn::Sub(load_tail(d_scores + t, n - t), shift);
    store_tail(hn::Mul(load_tail(weights + t, n - t), moved), d_scores + t, n - t);
  }
}

}  // namespace

void add_attention_pool(Table& table) {
  table.attention_pool_forward = forward;
  table.attention_pool_backward = backward;
}

}  // namespace padless::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
