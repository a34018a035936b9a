// What others do about padding, emulated to be measured: never part of the library's path.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "padless/reference/math.h"

namespace padless::study {

/// Softmax over all logits, pads included, as ordinary loops do it: the largest first, then sums
/// from left to right.
template <class Real>
std::vector<Real> softmax(std::span<const Real> logits) {
  using reference::math::exp;
  if (logits.empty()) return {};
  Real top = logits[0], sum = Real(0);
  for (const Real logit : logits) top = reference::math::max(logit, top);
  std::vector<Real> weights;
  for (const Real logit : logits) {
    weights.push_back(exp(logit - top));
    sum = sum + weights.back();
  }
  for (Real& weight : weights) weight = weight / sum;
  return weights;
}

/// The softmax over all, multiplied by the 0/1 mask (the first `real` are 1), divided by its sum.
template <class Real>
std::vector<Real> multiply_and_renormalise(std::span<const Real> logits, std::size_t real) {
  std::vector<Real> weights = softmax(logits);
  Real sum = Real(0);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    weights[i] = weights[i] * Real(i < real ? 1 : 0);
    sum = sum + weights[i];
  }
  for (Real& weight : weights) weight = weight / sum;
  return weights;
}

/// The softmax after `constant` was added to the logits of all but the first `real`.
template <class Real>
std::vector<Real> add_constant(std::span<const Real> logits, std::size_t real, double constant) {
  std::vector<Real> shifted(logits.begin(), logits.end());
  for (std::size_t i = real; i < shifted.size(); ++i) shifted[i] = shifted[i] + Real(constant);
  return softmax(std::span<const Real>(shifted));
}

/// Logits followed by `pads` zeros, which is what PAD's logits are where nothing sets them.
template <class Real>
std::vector<Real> with_pads(std::span<const double> logits, std::size_t pads) {
  std::vector<Real> padded;
  for (const double logit : logits) padded.push_back(Real(logit));
  padded.resize(logits.size() + pads, Real(0));
  return padded;
}

}  // namespace padless::study
