#include "padless/ops/rms_norm.h"

#include <string_view>

#include "padless/kernels/dispatch.h"
#include "padless/ops/checks.h"
#include "padless/ops/norm_checks.h"
#include "padless/ops/row_items.h"

namespace padless {

void rms_norm_forward(Runtime& runtime, const Pass& /*pass*/, MatrixView<const float> x,
                      std::span<const float> gamma, float epsilon, MatrixView<float> y,
                      std::span<float> rstd) {
  constexpr std::string_view kOp = "rms_norm_forward";
  require_width(kOp, x);
  require_vector(kOp, "gamma", gamma, x.cols());
  require_matrix(kOp, "y", y, x.rows(), x.cols());
  require_vector(kOp, "rstd", rstd, x.rows());
  require_epsilon(kOp, epsilon);
  const auto kernel = kernels::table(runtime.isa()).rms_norm_forward;
  for_row_items(runtime, x.rows(), kNormRowsAnItem, [&](std::size_t first, std::size_t end) {
    kernel(x.row(first).data(), x.stride(), gamma.data(), nullptr, end - first, x.cols(), epsilon,
           y.row(first).data(), y.stride(), nullptr, &rstd[first]);
  });
}

void rms_norm_backward_input(Runtime& runtime, const Pass& /*pass*/, MatrixView<const float> d_y,
                             MatrixView<const float> x, std::span<const float> gamma,
                             std::span<const float> rstd, MatrixView<float> d_x) {
  constexpr std::string_view kOp = "rms_norm_backward_input";
  require_width(kOp, x);
  require_matrix(kOp, "d_y", d_y, x.rows(), x.cols());
  require_vector(kOp, "gamma", gamma, x.cols());
  require_vector(kOp, "rstd", rstd, x.rows());
  require_matrix(kOp, "d_x", d_x, x.rows(), x.cols());
  const auto kernel = kernels::table(runtime.isa()).rms_norm_backward_input;
  for_row_items(runtime, x.rows(), kNormRowsAnItem, [&](std::size_t first, std::size_t end) {
    kernel(d_y.row(first).data(), d_y.stride(), x.row(first).data(), x.stride(), gamma.data(),
           nullptr, &rstd[first], end - first, x.cols(), d_x.row(first).data(), d_x.stride());
  });
}

void rms_norm_backward_weight(Runtime& runtime, const Pass& pass, MatrixView<const float> d_y,
                              MatrixView<const float> x, std::span<const float> rstd,
                              std::span<float> d_gamma) {
  constexpr std::string_view kOp = "rms_norm_backward_weight";
  require_width(kOp, x);
  require_matrix(kOp, "d_y", d_y, x.rows(), x.cols());
  require_vector(kOp, "rstd", rstd, x.rows());
  require_vector(kOp, "d_gamma", d_gamma, x.cols());
  const PassShards shards = shards_of(kOp, pass, x.rows());
  const auto kernel = kernels::table(runtime.isa()).rms_norm_backward_weight;
  // Columns are shared out, never rows.
  for_row_items(runtime, x.cols(), kNormColumnsAnItem, [&](std::size_t first, std::size_t end) {
    kernel(d_y.data() + first, d_y.stride(), x.data() + first, x.stride(), nullptr, rstd.data(),
           shards.bounds().data(), shards.count(), end - first, &d_gamma[first], nullptr);
  });
}

}  // namespace padless
