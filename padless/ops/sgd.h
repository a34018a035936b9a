#pragma once

#include <span>

#include "padless/core/export.h"
#include "padless/core/matrix.h"
#include "padless/core/parameter.h"
#include "padless/core/runtime.h"

namespace padless {

/// The numbers of one step of stochastic gradient descent.
struct SgdStep {
  double learning_rate = 0;
  double momentum = 0.9;      ///< what is left of the velocity after a step
  double decay = 0;           ///< this share of a value is added to its gradient
  bool nesterov = false;      ///< look ahead along the velocity
  double gradient_scale = 1;  ///< of clipping
};

/// Stochastic gradient descent with momentum, elementwise, as PyTorch's SGD without dampening:
/// velocity = momentum * velocity + gradient + decay * value; value -= rate * velocity (Nesterov:
/// rate * (gradient + decay * value + momentum * velocity)). Sets the gradient to 0 and raises the
/// parameter's version. `velocity` holds a matrix for each parameter, zeros before the first step.
///
/// Throws ShapeError unless gradient and velocity have the shape of the value. The numbers of the
/// step are the caller's to check: train/optimizer.h does.
PADLESS_API void sgd_update(Runtime& runtime, const SgdStep& step,
                            std::span<Parameter* const> parameters,
                            std::span<Matrix<float>> velocity);

}  // namespace padless
