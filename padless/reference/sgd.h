// One step of stochastic gradient descent with momentum, as PyTorch's torch.optim.SGD defines it.
// Source: Sutskever et al., "On the importance of initialization and momentum in deep learning"
// (ICML 2013), for Nesterov's form.
#pragma once

#include <cstddef>

#include "padless/reference/math.h"

namespace padless::reference {

/// The numbers of one step, each rounded to Real once. `step` has learning_rate, momentum, decay,
/// nesterov and gradient_scale (of clipping).
template <class Real>
struct SgdNumbers {
  Real rate, momentum, decay, gradient_scale;
  bool nesterov;

  template <class Step>
  explicit SgdNumbers(const Step& step)
      : rate(static_cast<Real>(step.learning_rate)),
        momentum(static_cast<Real>(step.momentum)),
        decay(static_cast<Real>(step.decay)),
        gradient_scale(static_cast<Real>(step.gradient_scale)),
        nesterov(step.nesterov) {}
};

/// n elements: value and velocity are changed, the gradient becomes 0. With g = gradient *
/// gradient_scale + decay * value: velocity = momentum * velocity + g; value -= rate * velocity, or
/// rate * (g + momentum * velocity) where `nesterov`.
template <class Real, class Numbers>
void sgd(const Numbers& numbers, std::size_t n, Real* value, Real* gradient, Real* velocity) {
  for (std::size_t i = 0; i < n; ++i) {
    const Real slope = math::fma(numbers.decay, value[i], gradient[i] * numbers.gradient_scale);
    velocity[i] = math::fma(numbers.momentum, velocity[i], slope);
    const Real move =
        numbers.nesterov ? math::fma(numbers.momentum, velocity[i], slope) : velocity[i];
    value[i] = math::fma(-numbers.rate, move, value[i]);
    gradient[i] = 0;
  }
}

}  // namespace padless::reference
