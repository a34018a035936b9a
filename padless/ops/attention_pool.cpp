#include "padless/ops/attention_pool.h"

#include <algorithm>
#include <atomic>
#include <string_view>

#include "padless/kernels/dispatch.h"
#include "padless/ops/checks.h"

namespace padless {

std::size_t attention_pool_forward(Runtime& runtime, const Pass& /*pass*/,
                                   MatrixView<const float> x, std::span<const float> scores,
                                   const Segments& segs, MatrixView<float> out,
                                   std::span<float> weights) {
  constexpr std::string_view kOp = "attention_pool_forward";
  require_matrix(kOp, "x", x, segs.total(), x.cols());
  require_vector(kOp, "scores", scores, segs.total());
  require_matrix(kOp, "out", out, segs.count(), x.cols());
  require_vector(kOp, "weights", weights, segs.total());

  const auto kernel = kernels::table(runtime.isa()).attention_pool_forward;
  std::atomic<std::size_t> empty = 0;
  runtime.parallel_for(segs.count(), [&](std::size_t b) {
    const Segments::Rows rows = segs[b];
    if (rows.empty()) {
      std::ranges::fill(out.row(b), 0.0f);
      empty.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    kernel(x.row(rows.begin).data(), x.stride(), &scores[rows.begin], rows.size(), x.cols(),
           out.row(b).data(), &weights[rows.begin]);
  });
  return empty;
}

void attention_pool_backward(Runtime& runtime, const Pass& /*pass*/, MatrixView<const float> d_out,
                             MatrixView<const float> x, std::span<const float> weights,
                             const Segments& segs, MatrixView<float> d_x,
                             std::span<float> d_scores) {
  constexpr std::string_view kOp = "attention_pool_backward";
  require_matrix(kOp, "d_out", d_out, segs.count(), x.cols());
  require_matrix(kOp, "x", x, segs.total(), x.cols());
  require_vector(kOp, "weights", weights, segs.total());
  require_matrix(kOp, "d_x", d_x, segs.total(), x.cols());
  require_vector(kOp, "d_scores", d_scores, segs.total());

  const auto kernel = kernels::table(runtime.isa()).attention_pool_backward;
  runtime.parallel_for(segs.count(), [&](std::size_t b) {
    const Segments::Rows rows = segs[b];
    if (rows.empty()) return;
    kernel(d_out.row(b).data(), x.row(rows.begin).data(), x.stride(), &weights[rows.begin],
           rows.size(), x.cols(), d_x.row(rows.begin).data(), d_x.stride(), &d_scores[rows.begin]);
  });
}

}  // namespace padless
