// The distance between a prediction and its target: squared when small, straight when large.
// Source: Huber, "Robust estimation of a location parameter" (1964).
#pragma once

#include <cstddef>
#include <span>

#include "padless/batch/shards.h"
#include "padless/reference/math.h"
#include "padless/reference/sum_losses.h"

namespace padless::reference {

/// losses[r] = off^2 / 2 where |off| <= delta, else delta * (|off| - delta / 2), with off =
/// predictions[r] - targets[r], for n rows; losses [n] written.
template <class Real>
void huber_losses(const Real* predictions, const Real* targets, std::size_t n, Real delta,
                  Real* losses) {
  const Real half(0.5f);
  for (std::size_t r = 0; r < n; ++r) {
    const Real off = predictions[r] - targets[r];
    const Real size = off < Real(0) ? -off : off;
    losses[r] = size > delta ? delta * (size - half * delta) : (half * off) * off;
  }
}

/// d_predictions[r] = scale * off, off being clamped to [-delta, delta]. `scale` is 1 / count of
/// the whole step. d_predictions [n] written.
template <class Real>
void huber_losses_backward(const Real* predictions, const Real* targets, std::size_t n, Real delta,
                           Real scale, Real* d_predictions) {
  for (std::size_t r = 0; r < n; ++r) {
    const Real off = predictions[r] - targets[r];
    const Real low = off < -delta ? -delta : off;
    d_predictions[r] = (low > delta ? delta : low) * scale;
  }
}

/// The sum of all rows' losses. predictions [R], targets [R].
template <class Real>
double huber_forward(std::span<const Real> predictions, std::span<const Real> targets, Real delta,
                     const Shards& shards) {
  const auto loss = [&](std::size_t r) {
    Real one;
    huber_losses(&predictions[r], &targets[r], 1, delta, &one);
    return one;
  };
  return sum_losses(loss, shards.bounds().data(), shards.count());
}

}  // namespace padless::reference
