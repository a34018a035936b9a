// Squared distance between a prediction and its target.
#pragma once

#include <cstddef>
#include <span>

#include "padless/batch/shards.h"
#include "padless/reference/math.h"
#include "padless/reference/sum_losses.h"

namespace padless::reference {

/// losses[r] = (predictions[r] - targets[r])^2, for n rows; losses [n] written.
template <class Real>
void squared_errors(const Real* predictions, const Real* targets, std::size_t n, Real* losses) {
  for (std::size_t r = 0; r < n; ++r) {
    const Real off = predictions[r] - targets[r];
    losses[r] = off * off;
  }
}

/// d_predictions[r] = scale * 2 * (predictions[r] - targets[r]). `scale` is 1 / count of the whole
/// step. d_predictions [n] written.
template <class Real>
void squared_errors_backward(const Real* predictions, const Real* targets, std::size_t n,
                             Real scale, Real* d_predictions) {
  for (std::size_t r = 0; r < n; ++r) {
    const Real off = predictions[r] - targets[r];
    d_predictions[r] = (off + off) * scale;
  }
}

/// The sum of all rows' losses. predictions [R], targets [R].
template <class Real>
double mean_squared_error_forward(std::span<const Real> predictions, std::span<const Real> targets,
                                  const Shards& shards) {
  const auto loss = [&](std::size_t r) {
    Real squared;
    squared_errors(&predictions[r], &targets[r], 1, &squared);
    return squared;
  };
  return sum_losses(loss, shards.bounds().data(), shards.count());
}

}  // namespace padless::reference
