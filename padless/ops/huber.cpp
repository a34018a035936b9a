#include "padless/ops/huber.h"

#include <cmath>
#include <string_view>

#include "padless/core/error.h"
#include "padless/core/fp.h"
#include "padless/kernels/dispatch.h"
#include "padless/ops/checks.h"

namespace padless {
namespace {

void require_arguments(std::string_view op, std::span<const float> targets, std::size_t rows,
                       float delta) {
  require_vector(op, "targets", targets, rows);
  require_value(std::isfinite(delta) && delta > 0, op, ": delta is ", delta,
                ", expected a finite number above 0");
  for (std::size_t r = 0; r < rows; ++r) {
    require_value(std::isfinite(targets[r]), op, ": targets[", r, "] is ", targets[r],
                  ", expected a finite number; leave out rows without a target");
  }
}

}  // namespace

LossSum huber_forward(Runtime& runtime, const Pass& pass, std::span<const float> predictions,
                      std::span<const float> targets, float delta) {
  constexpr std::string_view kOp = "huber_forward";
  require_arguments(kOp, targets, predictions.size(), delta);
  const PassShards shards = shards_of(kOp, pass, predictions.size());
  const kernels::Table& table = kernels::table(runtime.isa());
  const FpEnvironment environment;
  const Arena::Scope scope(runtime.arena());
  const std::span<float> losses = runtime.arena().take<float>(predictions.size());
  table.huber_losses(predictions.data(), targets.data(), predictions.size(), delta, losses.data());
  return LossSum::of_equals(table.sum_losses(losses.data(), shards.bounds().data(), shards.count()),
                            predictions.size());
}

void huber_backward(Runtime& runtime, const Pass& /*pass*/, std::span<const float> predictions,
                    std::span<const float> targets, float delta, float scale,
                    std::span<float> d_predictions) {
  constexpr std::string_view kOp = "huber_backward";
  require_arguments(kOp, targets, predictions.size(), delta);
  require_vector(kOp, "d_predictions", d_predictions, predictions.size());
  const FpEnvironment environment;
  kernels::table(runtime.isa())
      .huber_losses_backward(predictions.data(), targets.data(), predictions.size(), delta, scale,
                             d_predictions.data());
}

}  // namespace padless
