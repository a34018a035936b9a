// Scores of additive attention: u . tanh(h) for any rows.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "padless/kernels/additive_scores.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.h, which includes this file once a target:
#include "padless/kernels/kernels.h"
#include "padless/kernels/simd.h"

HWY_BEFORE_NAMESPACE();
namespace padless::kernels::HWY_NAMESPACE {
namespace {

void forward(const float* h, std::size_t h_stride, const float* context, std::size_t rows,
             std::size_t cols, float* u, std::size_t u_stride, float* scores) {
  for (std::size_t t = 0; t < rows; ++t) {
    Lanes16 score;
    for (std::size_t j = 0; j < cols; j += 16) {
      for (std::size_t p = 0; p < Lanes16::kParts && j + p * kLanes < cols; ++p) {
        const std::size_t at = j + p * kLanes;
        const Vec cell = tanh(load_tail(h + t * h_stride + at, cols - at));
        store_tail(cell, u + t * u_stride + at, cols - at);
        score.add_product(p, cell, load_tail(context + at, cols - at), cols - at);
      }
    }
    scores[t] = score.total();
  }
}

void backward(const float* d_scores, const float* u, std::size_t u_stride, const float* context,
              std::size_t rows, std::size_t cols, float* d_h, std::size_t d_h_stride) {
  const Tag d;
  const Vec one = hn::Set(d, 1.0f);
  for (std::size_t t = 0; t < rows; ++t) {
    const Vec d_score = hn::Set(d, d_scores[t]);
    for (std::size_t j = 0; j < cols; j += kLanes) {
      const Vec cell = load_tail(u + t * u_stride + j, cols - j);
      const Vec slope = hn::NegMulAdd(cell, cell, one);
      const Vec reach = hn::Mul(d_score, load_tail(context + j, cols - j));
      store_tail(hn::Mul(reach, slope), d_h + t * d_h_stride + j, cols - j);
    }
  }
}

}  // namespace

void add_additive_scores(Table& table) {
  table.additive_scores_forward = forward;
  table.additive_scores_backward = backward;
}

}  // namespace padless::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
