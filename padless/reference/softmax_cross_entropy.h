// Cross-entropy between the softmax of a row of logits and its label.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "padless/batch/shards.h"
#include "padless/core/matrix.h"
#include "padless/reference/math.h"
#include "padless/reference/sum_losses.h"

namespace padless::reference {

/// One row: returns the loss, lse - logits[label], where lse = log of the sum of exp(logits).
/// With label smoothing the target is 1 - smoothing at the label plus smoothing / classes
/// everywhere: smoothing * (logits[label] - mean of logits) is added. logits [classes],
/// probabilities [classes] written.
template <class Real>
Real softmax_cross_entropy_forward(const Real* logits, std::size_t classes, std::size_t label,
                                   Real smoothing, Real* probabilities) {
  Real top = -math::infinity<Real>();
  for (std::size_t k = 0; k < classes; ++k) top = math::max(logits[k], top);
  math::Lanes16<Real> sum;
  for (std::size_t k = 0; k < classes; ++k) {
    sum.add(k, probabilities[k] = math::exp(logits[k] - top));
  }
  const Real total = sum.total();
  const Real scale = Real(1) / total;
  for (std::size_t k = 0; k < classes; ++k) probabilities[k] *= scale;
  // The logits first: far from 0, their sum with a logarithm would lose it.
  const Real loss = math::log(total) + (top - logits[label]);
  // Without smoothing an infinite logit of another class does no harm.
  if (smoothing == Real(0)) return loss;
  math::Lanes16<Real> all;
  for (std::size_t k = 0; k < classes; ++k) all.add(k, logits[k]);
  const Real mean = all.total() / Real(static_cast<float>(classes));
  return math::fma(smoothing, logits[label] - mean, loss);
}

/// One row: d_logits = scale * (probabilities - target). `scale` is 1 / count of the whole step.
template <class Real>
void softmax_cross_entropy_backward(const Real* probabilities, std::size_t classes,
                                    std::size_t label, Real smoothing, Real scale, Real* d_logits) {
  const Real everywhere = smoothing / Real(static_cast<float>(classes));
  for (std::size_t k = 0; k < classes; ++k) {
    Real off = probabilities[k] - everywhere;
    if (k == label) off = off - (Real(1) - smoothing);
    d_logits[k] = off * scale;
  }
}

/// The sum of the rows' losses, each times the weight of its label (weights [K], or none: 1), rows
/// with a negative label left out. logits [R, K], labels [R], probabilities [R, K] written: 0 in
/// rows that are left out.
template <class Real>
double softmax_cross_entropy_forward(MatrixView<const Real> logits,
                                     std::span<const std::int32_t> labels, Real smoothing,
                                     std::span<const float> weights, const Shards& shards,
                                     MatrixView<Real> probabilities) {
  fill(probabilities, Real(0));
  const auto row_loss = [&](std::size_t r) {
    if (labels[r] < 0) return Real(0);
    const auto label = static_cast<std::size_t>(labels[r]);
    const Real loss = softmax_cross_entropy_forward(logits.row(r).data(), logits.cols(), label,
                                                    smoothing, probabilities.row(r).data());
    return weights.empty() ? loss : Real(weights[label]) * loss;
  };
  return sum_losses(row_loss, shards.bounds().data(), shards.count());
}

/// probabilities [R, K] as forward left them, labels [R], d_logits [R, K] written: 0 in rows that
/// are left out.
template <class Real>
void softmax_cross_entropy_backward(MatrixView<const Real> probabilities,
                                    std::span<const std::int32_t> labels, Real smoothing,
                                    std::span<const float> weights, Real scale,
                                    MatrixView<Real> d_logits) {
  fill(d_logits, Real(0));
  for (std::size_t r = 0; r < labels.size(); ++r) {
    if (labels[r] < 0) continue;
    const auto label = static_cast<std::size_t>(labels[r]);
    const Real row_scale = weights.empty() ? scale : Real(weights[label]) * scale;
    softmax_cross_entropy_backward(probabilities.row(r).data(), probabilities.cols(), label,
                                   smoothing, row_scale, d_logits.row(r).data());
  }
}

}  // namespace padless::reference
