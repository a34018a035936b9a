#include "padless/train/optimizer.h"

#include <cmath>

#include "padless/core/error.h"
#include "padless/ops/adamw.h"
#include "padless/ops/sgd.h"

namespace padless {
namespace {

void require_decay(std::string_view optimizer, float decay) {
  require_value(std::isfinite(decay) && decay >= 0, optimizer, ": decay is ", decay,
                ", expected a finite number, at least 0");
}

/// What stands before any optimiser's step.
struct Clipping {
  double norm = 0;
  /// Of the gradients; none where the step is not to be taken: the gradients are then 0.
  std::optional<double> scale;
};

Clipping clip(Runtime& runtime, std::string_view optimizer, std::span<Parameter* const> parameters,
              float learning_rate, std::optional<double> max_norm) {
  require_value(std::isfinite(learning_rate) && learning_rate >= 0, optimizer,
                ": the learning rate is ", learning_rate, ", expected a finite number, at least 0");
  require_value(!max_norm || *max_norm > 0, optimizer, ": max_norm is ", max_norm.value_or(0),
                ", expected a number above 0");
  const double norm = gradient_norm(runtime, parameters);
  if (!(norm <= kLargestGradientNorm)) {
    for (Parameter* parameter : parameters) fill(parameter->gradient.view(), 0.0f);
    return {.norm = norm, .scale = std::nullopt};
  }
  return {.norm = norm, .scale = max_norm && norm > *max_norm ? *max_norm / norm : 1};
}

}  // namespace

AdamW::AdamW(const Options& options, std::span<Parameter* const> parameters) : options_(options) {
  const auto require_beta = [](const char* name, float beta) {
    require_value(beta >= 0 && beta < 1, "AdamW: ", name, " is ", beta,
                  ", expected a number in [0, 1)");
  };
  require_beta("beta1", options.beta1);
  require_beta("beta2", options.beta2);
  require_value(std::isfinite(options.epsilon) && options.epsilon > 0, "AdamW: epsilon is ",
                options.epsilon, ", expected a finite number above 0");
  require_decay("AdamW", options.decay);
  for (const Parameter* parameter : parameters) {
    first_.emplace_back(parameter->value.rows(), parameter->value.cols());
    second_.emplace_back(parameter->value.rows(), parameter->value.cols());
  }
}

OptimizerStep AdamW::step(Runtime& runtime, std::span<Parameter* const> parameters,
                          float learning_rate, std::optional<double> max_norm) {
  const Clipping clipping = clip(runtime, "AdamW", parameters, learning_rate, max_norm);
  if (!clipping.scale) return {.norm = clipping.norm, .taken = false};
  const Progress next = {.steps = progress_.steps + 1,
                         .beta1_power = progress_.beta1_power * options_.beta1,
                         .beta2_power = progress_.beta2_power * options_.beta2};
  adamw_update(runtime,
               {.learning_rate = learning_rate,
                .beta1 = options_.beta1,
                .beta2 = options_.beta2,
                .epsilon = options_.epsilon,
                .decay = options_.decay,
                .beta1_power = next.beta1_power,
                .beta2_power = next.beta2_power,
                .gradient_scale = *clipping.scale},
               parameters, first_, second_);
  progress_ = next;
  return {.norm = clipping.norm, .taken = true};
}

void AdamW::Progress::check() const {
  for (const double power : {beta1_power, beta2_power}) {
    require_value(steps == 0 ? power == 1 : power >= 0 && power < 1, "AdamW: a power of a beta is ",
                  power, " after ", steps, " steps, expected ",
                  steps == 0 ? "1" : "a number in [0, 1)");
  }
}

void AdamW::set_progress(const Progress& progress) {
  progress.check();
  progress_ = progress;
}

Sgd::Sgd(const Options& options, std::span<Parameter* const> parameters) : options_(options) {
  require_value(options.momentum >= 0 && options.momentum < 1, "Sgd: momentum is ",
                options.momentum, ", expected a number in [0, 1)");
  require_decay("Sgd", options.decay);
  require_value(!options.nesterov || options.momentum > 0,
                "Sgd: nesterov is true with a momentum of 0, expected a momentum above 0");
  velocity_.reserve(parameters.size());
  for (const Parameter* parameter : parameters) {
    velocity_.emplace_back(parameter->value.rows(), parameter->value.cols());
  }
}

OptimizerStep Sgd::step(Runtime& runtime, std::span<Parameter* const> parameters,
                        float learning_rate, std::optional<double> max_norm) {
  const Clipping clipping = clip(runtime, "Sgd", parameters, learning_rate, max_norm);
  if (!clipping.scale) return {.norm = clipping.norm, .taken = false};
  sgd_update(runtime,
             {.learning_rate = learning_rate,
              .momentum = options_.momentum,
              .decay = options_.decay,
              .nesterov = options_.nesterov,
              .gradient_scale = *clipping.scale},
             parameters, velocity_);
  return {.norm = clipping.norm, .taken = true};
}

}  // namespace padless
