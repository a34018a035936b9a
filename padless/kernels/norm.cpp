// Layer normalisation and root-mean-square normalisation of rows.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "padless/kernels/norm.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.h, which includes this file once a target:
#include "padless/kernels/kernels.h"
#include "padless/kernels/shard_tree.h"

HWY_BEFORE_NAMESPACE();
namespace padless::kernels::HWY_NAMESPACE {
namespace {

// Whether a row's mean is taken off it: LayerNorm does, RMSNorm does not.
enum class Norm { layer, rms };

// Rows side by side hide the latency of each other's sums.
constexpr std::size_t kRows = 4;

// A vector of normalised numbers of a row.
template <Norm kNorm>
HWY_INLINE Vec normalised(const float* x, std::size_t left, Vec mean, Vec rstd) {
  const Vec cells = load_tail(x, left);
  return hn::Mul(kNorm == Norm::layer ? hn::Sub(cells, mean) : cells, rstd);
}

template <Norm kNorm, std::size_t kCount>
HWY_INLINE void forward_rows(const float* x, std::size_t x_stride, const float* gamma,
                             const float* beta, std::size_t cols, float epsilon, float* y,
                             std::size_t y_stride, float* means, float* rstds) {
  const Tag d;
  const auto count = static_cast<float>(cols);
  Vec mean[kCount], rstd[kCount];
  for (Vec& row : mean) row = hn::Zero(d);
  if constexpr (kNorm == Norm::layer) {
    Lanes16 sums[kCount];
    for (std::size_t j = 0; j < cols; j += 16) {
      for (std::size_t p = 0; p < Lanes16::kParts && j + p * kLanes < cols; ++p) {
        const std::size_t at = j + p * kLanes;
        for (std::size_t r = 0; r < kCount; ++r) {
          sums[r].add(p, load_tail(x + r * x_stride + at, cols - at), cols - at);
        }
      }
    }
    for (std::size_t r = 0; r < kCount; ++r) {
      means[r] = sums[r].total() / count;
      mean[r] = hn::Set(d, means[r]);
    }
  }
  Lanes16 squares[kCount];
  for (std::size_t j = 0; j < cols; j += 16) {
    for (std::size_t p = 0; p < Lanes16::kParts && j + p * kLanes < cols; ++p) {
      const std::size_t at = j + p * kLanes;
      for (std::size_t r = 0; r < kCount; ++r) {
        const Vec cells = load_tail(x + r * x_stride + at, cols - at);
        const Vec off = kNorm == Norm::layer ? hn::Sub(cells, mean[r]) : cells;
        squares[r].add_product(p, off, off, cols - at);
      }
    }
  }
  for (std::size_t r = 0; r < kCount; ++r) {
    const Vec spread = hn::Sqrt(hn::Set(d, squares[r].total() / count + epsilon));
    rstd[r] = hn::Div(hn::Set(d, 1.0f), spread);
    rstds[r] = hn::GetLane(rstd[r]);
  }
  for (std::size_t j = 0; j < cols; j += kLanes) {
    const std::size_t left = cols - j;
    const Vec scale = load_tail(gamma + j, left);
    for (std::size_t r = 0; r < kCount; ++r) {
      const Vec n = normalised<kNorm>(x + r * x_stride + j, left, mean[r], rstd[r]);
      const Vec out = kNorm == Norm::layer ? hn::MulAdd(n, scale, load_tail(beta + j, left))
                                           : hn::Mul(n, scale);
      store_tail(out, y + r * y_stride + j, left);
    }
  }
}

template <Norm kNorm, std::size_t kCount>
HWY_INLINE void backward_rows(const float* d_y, std::size_t d_y_stride, const float* x,
                              std::size_t x_stride, const float* gamma, const float* means,
                              const float* rstds, std::size_t cols, float* d_x,
                              std::size_t d_x_stride) {
  const Tag d;
  const auto count = static_cast<float>(cols);
  Vec mean[kCount], rstd[kCount], shift[kCount], slope[kCount];
  for (std::size_t r = 0; r < kCount; ++r) {
    mean[r] = kNorm == Norm::layer ? hn::Set(d, means[r]) : hn::Zero(d);
    rstd[r] = hn::Set(d, rstds[r]);
  }
  Lanes16 sums[kCount], products[kCount];
  for (std::size_t j = 0; j < cols; j += 16) {
    for (std::size_t p = 0; p < Lanes16::kParts && j + p * kLanes < cols; ++p) {
      const std::size_t at = j + p * kLanes;
      const std::size_t left = cols - at;
      const Vec scale = load_tail(gamma + at, left);
      for (std::size_t r = 0; r < kCount; ++r) {
        const Vec g = hn::Mul(load_tail(d_y + r * d_y_stride + at, left), scale);
        if constexpr (kNorm == Norm::layer) sums[r].add(p, g, left);
        const Vec n = normalised<kNorm>(x + r * x_stride + at, left, mean[r], rstd[r]);
        products[r].add_product(p, g, n, left);
      }
    }
  }
  for (std::size_t r = 0; r < kCount; ++r) {
    if constexpr (kNorm == Norm::layer) shift[r] = hn::Set(d, sums[r].total() / count);
    slope[r] = hn::Set(d, products[r].total() / count);
  }
  for (std::size_t j = 0; j < cols; j += kLanes) {
    const std::size_t left = cols - j;
    const Vec scale = load_tail(gamma + j, left);
    for (std::size_t r = 0; r < kCount; ++r) {
      Vec g = hn::Mul(load_tail(d_y + r * d_y_stride + j, left), scale);
      if constexpr (kNorm == Norm::layer) g = hn::Sub(g, shift[r]);
      const Vec n = normalised<kNorm>(x + r * x_stride + j, left, mean[r], rstd[r]);
      const Vec out = hn::Mul(rstd[r], hn::NegMulAdd(n, slope[r], g));
      store_tail(out, d_x + r * d_x_stride + j, left);
    }
  }
}

// The rows' means, where the norm has them.
template <Norm kNorm, class Float>
HWY_INLINE Float* from_row(Float* means, std::size_t t) {
  return kNorm == Norm::layer ? means + t : nullptr;
}

template <Norm kNorm>
void forward(const float* x, std::size_t x_stride, const float* gamma, const float* beta,
             std::size_t rows, std::size_t cols, float epsilon, float* y, std::size_t y_stride,
             float* means, float* rstds) {
  std::size_t t = 0;
  for (; t + kRows <= rows; t += kRows) {
    forward_rows<kNorm, kRows>(x + t * x_stride, x_stride, gamma, beta, cols, epsilon,
                               y + t * y_stride, y_stride, from_row<kNorm>(means, t), rstds + t);
  }
  for (; t < rows; ++t) {
    forward_rows<kNorm, 1>(x + t * x_stride, x_stride, gamma, beta, cols, epsilon, y + t * y_stride,
                           y_stride, from_row<kNorm>(means, t), rstds + t);
  }
}

template <Norm kNorm>
void backward_input(const float* d_y, std::size_t d_y_stride, const float* x, std::size_t x_stride,
                    const float* gamma, const float* means, const float* rstds, std::size_t rows,
                    std::size_t cols, float* d_x, std::size_t d_x_stride) {
  std::size_t t = 0;
  for (; t + kRows <= rows; t += kRows) {
    backward_rows<kNorm, kRows>(d_y + t * d_y_stride, d_y_stride, x + t * x_stride, x_stride, gamma,
                                from_row<kNorm>(means, t), rstds + t, cols, d_x + t * d_x_stride,
                                d_x_stride);
  }
  for (; t < rows; ++t) {
    backward_rows<kNorm, 1>(d_y + t * d_y_stride, d_y_stride, x + t * x_stride, x_stride, gamma,
                            from_row<kNorm>(means, t), rstds + t, cols, d_x + t * d_x_stride,
                            d_x_stride);
  }
}

template <Norm kNorm>
void backward_weight(const float* d_y, std::size_t d_y_stride, const float* x, std::size_t x_stride,
                     const float* means, const float* rstds, const std::size_t* bounds,
                     std::size_t shards, std::size_t cols, float* d_gamma, float* d_beta) {
  const Tag d;
  for (std::size_t j = 0; j < cols; j += kLanes) {
    const std::size_t left = cols - j;
    ShardTree<1> scales, shifts;
    for (std::size_t s = 0; s < shards; ++s) {
      if (bounds[s] == bounds[s + 1]) {
        scales.add_absent();
        if constexpr (kNorm == Norm::layer) shifts.add_absent();
        continue;
      }
      Vec scale = hn::Zero(d), shift = hn::Zero(d);
      for (std::size_t t = bounds[s]; t < bounds[s + 1]; ++t) {
        const Vec upstream = load_tail(d_y + t * d_y_stride + j, left);
        const Vec mean = kNorm == Norm::layer ? hn::Set(d, means[t]) : hn::Zero(d);
        const Vec n = normalised<kNorm>(x + t * x_stride + j, left, mean, hn::Set(d, rstds[t]));
        scale = hn::MulAdd(upstream, n, scale);
        if constexpr (kNorm == Norm::layer) shift = hn::Add(shift, upstream);
      }
      scales.add(&scale);
      if constexpr (kNorm == Norm::layer) shifts.add(&shift);
    }
    scales.add_total_to<1>(d_gamma + j, 0, left);
    if constexpr (kNorm == Norm::layer) shifts.add_total_to<1>(d_beta + j, 0, left);
  }
}

}  // namespace

void add_norm(Table& table) {
  table.layer_norm_forward = forward<Norm::layer>;
  table.layer_norm_backward_input = backward_input<Norm::layer>;
  table.layer_norm_backward_weight = backward_weight<Norm::layer>;
  table.rms_norm_forward = forward<Norm::rms>;
  table.rms_norm_backward_input = backward_input<Norm::rms>;
  table.rms_norm_backward_weight = backward_weight<Norm::rms>;
}

}  // namespace padless::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
