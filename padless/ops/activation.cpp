#include "padless/ops/activation.h"

#include <string_view>

#include "padless/kernels/dispatch.h"
#include "padless/ops/checks.h"
#include "padless/ops/row_items.h"

namespace padless {
namespace {

constexpr std::size_t kRowsAnItem = 64;

}  // namespace

void activation_forward(Runtime& runtime, const Pass& /*pass*/, Activation kind,
                        MatrixView<const float> x, MatrixView<float> y) {
  require_matrix("activation_forward", "y", y, x.rows(), x.cols());
  const auto kernel = kernels::table(runtime.isa()).activation_forward;
  for_row_items(runtime, x.rows(), kRowsAnItem, [&](std::size_t first, std::size_t end) {
    kernel(kind, x.row(first).data(), x.stride(), end - first, x.cols(), y.row(first).data(),
           y.stride());
  });
}

void activation_backward(Runtime& runtime, const Pass& /*pass*/, Activation kind,
                         MatrixView<const float> d_y, MatrixView<const float> x,
                         MatrixView<float> d_x) {
  constexpr std::string_view kOp = "activation_backward";
  require_matrix(kOp, "d_y", d_y, x.rows(), x.cols());
  require_matrix(kOp, "d_x", d_x, x.rows(), x.cols());
  const auto kernel = kernels::table(runtime.isa()).activation_backward;
  for_row_items(runtime, x.rows(), kRowsAnItem, [&](std::size_t first, std::size_t end) {
    kernel(kind, d_y.row(first).data(), d_y.stride(), x.row(first).data(), x.stride(), end - first,
           x.cols(), d_x.row(first).data(), d_x.stride());
  });
}

}  // namespace padless
