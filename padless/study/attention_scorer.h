#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "padless/core/matrix.h"
#include "padless/core/parameter.h"

namespace padless::study {

/// Additive attention in double, the yardstick: score(h) = u . tanh(W h + b).
class AttentionScorer {
 public:
  /// w [A, C], b [A], u [A]. Throws ShapeError when they do not fit.
  AttentionScorer(Matrix<double> w, std::vector<double> b, std::vector<double> u);

  /// Of a row of C numbers.
  double score(std::span<const float> row) const;
  /// Of a zero row: u . tanh(b).
  double pad_score() const;

 private:
  double score_of(const std::vector<double>& projected) const;

  Matrix<double> w_;
  std::vector<double> b_, u_;
};

/// A model as what walks its parameters: visit(name, parameter).
using ParameterWalk =
    std::function<void(const std::function<void(const std::string&, Parameter&)>&)>;

/// The attention called `prefix` ("word_attention") of a model.
/// Throws ValueError when it has no such parameters.
AttentionScorer attention_scorer(const ParameterWalk& model, const std::string& prefix);

/// What `pads` rows of score `pad` take from the softmax of a sequence with these scores: a share
/// of 1. By as much the pooled row shrinks, since the pads' rows are zero.
double mass_lost(std::span<const double> scores, double pad, std::size_t pads);

}  // namespace padless::study
