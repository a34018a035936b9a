#include "padless/ops/binary_cross_entropy.h"

#include <cmath>
#include <cstddef>
#include <string_view>

#include "padless/core/error.h"
#include "padless/core/fp.h"
#include "padless/kernels/dispatch.h"
#include "padless/ops/checks.h"
#include "padless/ops/row_items.h"

namespace padless {
namespace {

constexpr std::size_t kRowsAnItem = 32;

/// How many positions are not ignored.
std::size_t require_arguments(std::string_view op, MatrixView<const float> logits,
                              MatrixView<const std::int32_t> targets,
                              std::span<const float> positive_weights) {
  require_matrix(op, "targets", targets, logits.rows(), logits.cols());
  if (!positive_weights.empty()) {
    require_vector(op, "positive_weights", positive_weights, logits.cols());
  }
  for (std::size_t k = 0; k < positive_weights.size(); ++k) {
    require_value(std::isfinite(positive_weights[k]) && positive_weights[k] >= 0, op,
                  ": positive_weights[", k, "] is ", positive_weights[k],
                  ", expected a finite number of at least 0");
  }
  std::size_t count = 0;
  for (std::size_t r = 0; r < targets.rows(); ++r) {
    for (std::size_t k = 0; k < targets.cols(); ++k) {
      const std::int32_t target = targets(r, k);
      require_value(target == 0 || target == 1 || target == kIgnored, op, ": targets[", r, ", ", k,
                    "] is ", target, ", expected 0, 1 or ", kIgnored, " (ignored)");
      if (target != kIgnored) ++count;
    }
  }
  return count;
}

const float* or_null(std::span<const float> weights) {
  return weights.empty() ? nullptr : weights.data();
}

}  // namespace

LossSum binary_cross_entropy_forward(Runtime& runtime, const Pass& pass,
                                     MatrixView<const float> logits,
                                     MatrixView<const std::int32_t> targets,
                                     std::span<const float> positive_weights) {
  constexpr std::string_view kOp = "binary_cross_entropy_forward";
  const std::size_t count = require_arguments(kOp, logits, targets, positive_weights);
  const PassShards shards = shards_of(kOp, pass, logits.rows());
  const kernels::Table& table = kernels::table(runtime.isa());
  const Arena::Scope scope(runtime.arena());
  const std::span<float> losses = runtime.arena().take<float>(logits.rows());
  for_row_items(runtime, logits.rows(), kRowsAnItem, [&](std::size_t first, std::size_t end) {
    for (std::size_t r = first; r < end; ++r) {
      losses[r] = table.binary_cross_entropy_forward(logits.row(r).data(), targets.row(r).data(),
                                                     or_null(positive_weights), logits.cols());
    }
  });
  const FpEnvironment environment;
  return LossSum::of_equals(table.sum_losses(losses.data(), shards.bounds().data(), shards.count()),
                            count);
}

void binary_cross_entropy_backward(Runtime& runtime, const Pass& /*pass*/,
                                   MatrixView<const float> logits,
                                   MatrixView<const std::int32_t> targets,
                                   std::span<const float> positive_weights, float scale,
                                   MatrixView<float> d_logits) {
  constexpr std::string_view kOp = "binary_cross_entropy_backward";
  require_arguments(kOp, logits, targets, positive_weights);
  require_matrix(kOp, "d_logits", d_logits, logits.rows(), logits.cols());
  const auto kernel = kernels::table(runtime.isa()).binary_cross_entropy_backward;
  for_row_items(runtime, logits.rows(), kRowsAnItem, [&](std::size_t first, std::size_t end) {
    for (std::size_t r = first; r < end; ++r) {
      kernel(logits.row(r).data(), targets.row(r).data(), or_null(positive_weights), logits.cols(),
             scale, d_logits.row(r).data());
    }
  });
}

}  // namespace padless
