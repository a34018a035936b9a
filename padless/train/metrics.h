#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "padless/core/export.h"
#include "padless/core/matrix.h"

namespace padless {

/// How the texts of one class, or with one label, fared.
struct PADLESS_API ClassCounts {
  std::size_t texts = 0;      ///< that have it
  std::size_t predicted = 0;  ///< of which it was said
  std::size_t right = 0;      ///< of which it was said, and that have it

  /// Each 0 where it would be a share of nothing.
  double precision() const;  ///< right / predicted
  double recall() const;     ///< right / texts
  double f1() const;         ///< 2 * right / (texts + predicted)

  bool operator==(const ClassCounts&) const = default;
};

/// How good predicted classes are.
struct ClassificationMetrics {
  double accuracy = 0;
  /// The mean of the classes' F1, over classes that occur among labels or predictions.
  double macro_f1 = 0;
  std::size_t count = 0;
  /// Texts whose label no training text had: each counts as wrong.
  std::size_t unseen = 0;
  std::vector<ClassCounts> classes;  ///< [K]
};

/// `predicted` are classes; `labels` are classes, or -1 for a label unseen in training.
/// Throws ShapeError unless they are of one size, ValueError for another class. Of nothing: all
/// zero.
PADLESS_API ClassificationMetrics classification_metrics(std::span<const std::int32_t> predicted,
                                                         std::span<const std::int32_t> labels,
                                                         std::size_t classes);

/// How good labels' probabilities are, and the sets of labels that they make.
struct LabelMetrics {
  /// The mean of the labels' average precision, over labels that some text has. For each text that
  /// has the label, precision is the share of such texts among all to which the label is at least
  /// as probable; their mean is the average. It asks no threshold and no order of equal ones.
  double mean_average_precision = 0;
  /// F1 of all texts' labels together: 2 * found / (predicted + real).
  double micro_f1 = 0;
  /// The mean of the labels' F1, over labels that the model knows and that occur in texts or
  /// predictions.
  double macro_f1 = 0;
  double subset_accuracy = 0;  ///< share of texts whose labels are all found, and no other
  std::size_t count = 0;       ///< of texts
  /// Texts with a label that no training text had: each such label counts as real and not found.
  std::size_t unseen = 0;
  std::vector<ClassCounts> labels;  ///< [K]
};

/// probabilities [D, K] of K labels, of which those above the threshold are predicted; one that is
/// not a number is the lowest. `real` has the rising labels of each text, behind a -1 for each
/// label unseen in training. Throws ShapeError unless there are D, ValueError for another label or
/// where labels do not rise. Where nothing is predicted and nothing real, and of nothing: 0.
PADLESS_API LabelMetrics label_metrics(MatrixView<const float> probabilities,
                                       std::span<const std::vector<std::int32_t>> real,
                                       float threshold);

/// How good predicted numbers are.
struct RegressionMetrics {
  double mae = 0;       ///< mean absolute error, in the target's units
  double r2 = 0;        ///< 1 - squared error / variance; 0 where all targets are equal
  double spearman = 0;  ///< rank correlation, equal values sharing their mean rank; 0 without any
  std::size_t count = 0;
};

/// Of a prediction that is not a number, nothing can be said: all metrics are NaN.
/// Throws ShapeError unless both are of one size. Of nothing: all zero.
PADLESS_API RegressionMetrics regression_metrics(std::span<const double> predicted,
                                                 std::span<const double> targets);

}  // namespace padless
