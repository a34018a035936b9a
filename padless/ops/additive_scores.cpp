#include "padless/ops/additive_scores.h"

#include <string_view>

#include "padless/kernels/dispatch.h"
#include "padless/ops/checks.h"
#include "padless/ops/linear.h"
#include "padless/ops/row_items.h"

namespace padless {
namespace {

constexpr std::size_t kRowsAnItem = 64;

}  // namespace

void additive_scores_forward(Runtime& runtime, const Pass& /*pass*/, MatrixView<const float> h,
                             std::span<const float> context, MatrixView<float> u,
                             std::span<float> scores) {
  constexpr std::string_view kOp = "additive_scores_forward";
  require_vector(kOp, "context", context, h.cols());
  require_matrix(kOp, "u", u, h.rows(), h.cols());
  require_vector(kOp, "scores", scores, h.rows());
  const auto kernel = kernels::table(runtime.isa()).additive_scores_forward;
  for_row_items(runtime, h.rows(), kRowsAnItem, [&](std::size_t first, std::size_t end) {
    kernel(h.row(first).data(), h.stride(), context.data(), end - first, h.cols(),
           u.row(first).data(), u.stride(), &scores[first]);
  });
}

void additive_scores_backward(Runtime& runtime, const Pass& pass, std::span<const float> d_scores,
                              MatrixView<const float> u, std::span<const float> context,
                              MatrixView<float> d_h, std::span<float> d_context) {
  constexpr std::string_view kOp = "additive_scores_backward";
  require_vector(kOp, "d_scores", d_scores, u.rows());
  require_vector(kOp, "context", context, u.cols());
  require_matrix(kOp, "d_h", d_h, u.rows(), u.cols());
  require_vector(kOp, "d_context", d_context, u.cols());
  const auto kernel = kernels::table(runtime.isa()).additive_scores_backward;
  for_row_items(runtime, u.rows(), kRowsAnItem, [&](std::size_t first, std::size_t end) {
    kernel(&d_scores[first], u.row(first).data(), u.stride(), context.data(), end - first, u.cols(),
           d_h.row(first).data(), d_h.stride());
  });
  // score = context . u: to the context, the scores' gradients are a linear layer's of one output.
  linear_backward_weight(runtime, pass, {d_scores.data(), d_scores.size(), 1}, u,
                         {d_context.data(), 1, d_context.size()}, {});
}

}  // namespace padless
