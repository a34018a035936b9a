#include "padless/ops/mean_squared_error.h"

#include <cmath>
#include <string_view>

#include "padless/core/error.h"
#include "padless/core/fp.h"
#include "padless/kernels/dispatch.h"
#include "padless/ops/checks.h"

namespace padless {
namespace {

void require_targets(std::string_view op, std::span<const float> targets, std::size_t rows) {
  require_vector(op, "targets", targets, rows);
  for (std::size_t r = 0; r < rows; ++r) {
    require_value(std::isfinite(targets[r]), op, ": targets[", r, "] is ", targets[r],
                  ", expected a finite number; leave out rows without a target");
  }
}

}  // namespace

LossSum mean_squared_error_forward(Runtime& runtime, const Pass& pass,
                                   std::span<const float> predictions,
                                   std::span<const float> targets) {
  constexpr std::string_view kOp = "mean_squared_error_forward";
  require_targets(kOp, targets, predictions.size());
  const PassShards shards = shards_of(kOp, pass, predictions.size());
  const kernels::Table& table = kernels::table(runtime.isa());
  const FpEnvironment environment;
  const Arena::Scope scope(runtime.arena());
  const std::span<float> losses = runtime.arena().take<float>(predictions.size());
  table.squared_errors(predictions.data(), targets.data(), predictions.size(), losses.data());
  return LossSum::of_equals(table.sum_losses(losses.data(), shards.bounds().data(), shards.count()),
                            predictions.size());
}

void mean_squared_error_backward(Runtime& runtime, const Pass& /*pass*/,
                                 std::span<const float> predictions, std::span<const float> targets,
                                 float scale, std::span<float> d_predictions) {
  constexpr std::string_view kOp = "mean_squared_error_backward";
  require_targets(kOp, targets, predictions.size());
  require_vector(kOp, "d_predictions", d_predictions, predictions.size());
  const FpEnvironment environment;
  kernels::table(runtime.isa())
      .squared_errors_backward(predictions.data(), targets.data(), predictions.size(), scale,
                               d_predictions.data());
}

}  // namespace padless
