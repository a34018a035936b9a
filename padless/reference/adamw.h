// One step of Adam with decoupled weight decay, and the norm of a gradient.
// Source: Loshchilov and Hutter, "Decoupled weight decay regularization" (ICLR 2019), algorithm 2.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "padless/core/parameter.h"
#include "padless/reference/math.h"

namespace padless::reference {

/// The numbers of one step, each computed in double and rounded to Real once. `step` has
/// learning_rate, beta1, beta2, epsilon, decay, beta1_power and beta2_power (the betas to the power
/// of the step's number, counted from 1, as running products) and gradient_scale (see clip_scale).
template <class Real>
struct AdamWNumbers {
  Real beta1, beta2, rest1, rest2, correction1, correction2, keep, rate, epsilon, gradient_scale;

  template <class Step>
  explicit AdamWNumbers(const Step& step)
      : beta1(static_cast<Real>(step.beta1)),
        beta2(static_cast<Real>(step.beta2)),
        rest1(static_cast<Real>(1 - step.beta1)),
        rest2(static_cast<Real>(1 - step.beta2)),
        correction1(static_cast<Real>(1 - step.beta1_power)),
        correction2(static_cast<Real>(1 - step.beta2_power)),
        keep(static_cast<Real>(1 - step.learning_rate * step.decay)),
        rate(static_cast<Real>(step.learning_rate)),
        epsilon(static_cast<Real>(step.epsilon)),
        gradient_scale(static_cast<Real>(step.gradient_scale)) {}
};

/// n elements: value, first and second moment are changed, the gradient becomes 0.
template <class Real, class Numbers>
void adamw(const Numbers& numbers, std::size_t n, Real* value, Real* gradient, Real* first,
           Real* second) {
  for (std::size_t i = 0; i < n; ++i) {
    const Real slope = gradient[i] * numbers.gradient_scale;
    first[i] = math::fma(numbers.beta1, first[i], numbers.rest1 * slope);
    second[i] = math::fma(numbers.beta2, second[i], numbers.rest2 * (slope * slope));
    const Real spread = math::sqrt(second[i] / numbers.correction2) + numbers.epsilon;
    const Real move = (first[i] / numbers.correction1) / spread;
    value[i] = math::fma(-numbers.rate, move, value[i] * numbers.keep);
    gradient[i] = 0;
  }
}

/// The sum of squares of n elements in double, in the order lanes16.
template <class Real>
double sum_of_squares(const Real* x, std::size_t n) {
  math::Lanes16<double> sum;
  for (std::size_t i = 0; i < n; ++i) {
    const auto cell = static_cast<double>(x[i]);
    sum.add_product(i, cell, cell);
  }
  return sum.total();
}

/// Elements of one chunk of a gradient's norm.
inline constexpr std::size_t kNormChunk = 4096;

/// The root of the sum of squares of all gradients: chunks of kNormChunk elements of each parameter
/// (the last may be shorter), one chain over chunks and parameters in order.
inline double gradient_norm(std::span<Parameter* const> parameters) {
  double sum = 0;
  for (const Parameter* parameter : parameters) {
    const std::span<const float> cells = parameter->gradient.cells();
    for (std::size_t i = 0; i < cells.size(); i += kNormChunk) {
      sum = sum + sum_of_squares(&cells[i], std::min(kNormChunk, cells.size() - i));
    }
  }
  return math::sqrt(sum);
}

/// What a gradient is multiplied with so that its norm is at most `max_norm`.
inline double clip_scale(double norm, double max_norm) {
  return norm > max_norm ? max_norm / norm : 1;
}

}  // namespace padless::reference
