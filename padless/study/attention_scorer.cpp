#include "padless/study/attention_scorer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "padless/core/error.h"

namespace padless::study {

AttentionScorer::AttentionScorer(Matrix<double> w, std::vector<double> b, std::vector<double> u)
    : w_(std::move(w)), b_(std::move(b)), u_(std::move(u)) {
  require_shape(w_.rows() == b_.size() && b_.size() == u_.size(), "AttentionScorer: W has ",
                w_.rows(), " rows, b and u have ", b_.size(), " and ", u_.size(),
                " numbers, expected as many");
}

double AttentionScorer::score_of(const std::vector<double>& projected) const {
  double score = 0;
  for (std::size_t a = 0; a < u_.size(); ++a) score += u_[a] * std::tanh(projected[a]);
  return score;
}

double AttentionScorer::score(std::span<const float> row) const {
  require_shape(row.size() == w_.cols(), "AttentionScorer: the row has ", row.size(),
                " numbers, expected ", w_.cols());
  std::vector<double> projected = b_;
  for (std::size_t a = 0; a < projected.size(); ++a) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      projected[a] += w_(a, c) * static_cast<double>(row[c]);
    }
  }
  return score_of(projected);
}

double AttentionScorer::pad_score() const { return score_of(b_); }

AttentionScorer attention_scorer(const ParameterWalk& model, const std::string& prefix) {
  Matrix<double> w;
  std::vector<double> b, u;
  model([&](const std::string& name, Parameter& parameter) {
    const std::span<const float> cells = parameter.value.cells();
    if (name == prefix + ".projection.weight") {
      w = Matrix<double>(parameter.value.rows(), parameter.value.cols());
      std::ranges::copy(cells, w.cells().begin());
    } else if (name == prefix + ".projection.bias") {
      b.assign(cells.begin(), cells.end());
    } else if (name == prefix + ".context") {
      u.assign(cells.begin(), cells.end());
    }
  });
  require_value(!u.empty(), "attention_scorer: the model has no attention '", prefix, "'");
  return {std::move(w), std::move(b), std::move(u)};
}

double mass_lost(std::span<const double> scores, double pad, std::size_t pads) {
  if (scores.empty() || pads == 0) return pads == 0 ? 0 : 1;
  const double top = std::max(pad, *std::ranges::max_element(scores));
  double real = 0;
  for (const double score : scores) real += std::exp(score - top);
  const double lost = static_cast<double>(pads) * std::exp(pad - top);
  return lost / (real + lost);
}

}  // namespace padless::study
