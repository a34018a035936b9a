// Cross-entropy of several labels per row, each a yes or no by itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "padless/batch/shards.h"
#include "padless/core/matrix.h"
#include "padless/reference/math.h"
#include "padless/reference/sum_losses.h"

namespace padless::reference {

/// One row: returns the sum in the order lanes16 of its labels' losses: weight * log(1 + exp(-x))
/// for a target of 1, log(1 + exp(x)) for 0, nothing for a negative one. Either is max(z, 0) +
/// log(1 + exp(-|z|)) with z = -x or x: no exponential overflows. logits, targets, weights
/// [labels]; `weights` may be null: 1.
template <class Real>
Real binary_cross_entropy_forward(const Real* logits, const std::int32_t* targets,
                                  const Real* weights, std::size_t labels) {
  math::Lanes16<Real> sum;
  for (std::size_t k = 0; k < labels; ++k) {
    if (targets[k] < 0) continue;
    const Real z = targets[k] == 1 ? -logits[k] : logits[k];
    const Real above = math::max(Real(0), z);
    const Real loss = above + math::log(Real(1) + math::exp(z < Real(0) ? z : -z));
    sum.add(k, targets[k] == 1 && weights != nullptr ? weights[k] * loss : loss);
  }
  return sum.total();
}

/// One row: d_logits = scale * (sigmoid(x) for a target of 0, -weight * sigmoid(-x) for 1, 0 for a
/// negative one). d_logits [labels] written; may be logits.
template <class Real>
void binary_cross_entropy_backward(const Real* logits, const std::int32_t* targets,
                                   const Real* weights, std::size_t labels, Real scale,
                                   Real* d_logits) {
  for (std::size_t k = 0; k < labels; ++k) {
    if (targets[k] < 0) {
      d_logits[k] = 0;
    } else if (targets[k] == 0) {
      d_logits[k] = scale * math::sigmoid(logits[k]);
    } else {
      const Real weight = weights != nullptr ? weights[k] : Real(1);
      d_logits[k] = scale * (-weight * math::sigmoid(-logits[k]));
    }
  }
}

/// The sum of all rows' losses. logits, targets [R, K], weights [K] or none.
template <class Real>
double binary_cross_entropy_forward(MatrixView<const Real> logits,
                                    MatrixView<const std::int32_t> targets,
                                    std::span<const Real> weights, const Shards& shards) {
  const auto loss = [&](std::size_t r) {
    return binary_cross_entropy_forward(logits.row(r).data(), targets.row(r).data(),
                                        weights.empty() ? nullptr : weights.data(), logits.cols());
  };
  return sum_losses(loss, shards.bounds().data(), shards.count());
}

/// d_logits [R, K] written.
template <class Real>
void binary_cross_entropy_backward(MatrixView<const Real> logits,
                                   MatrixView<const std::int32_t> targets,
                                   std::span<const Real> weights, Real scale,
                                   MatrixView<Real> d_logits) {
  for (std::size_t r = 0; r < logits.rows(); ++r) {
    binary_cross_entropy_backward(logits.row(r).data(), targets.row(r).data(),
                                  weights.empty() ? nullptr : weights.data(), logits.cols(), scale,
                                  d_logits.row(r).data());
  }
}

}  // namespace padless::reference
