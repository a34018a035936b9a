#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "padless/core/export.h"

namespace padless {

/// How good predicted classes are.
struct ClassificationMetrics {
  double accuracy = 0;
  /// The mean of the classes' F1, over classes that occur among labels or predictions.
  double macro_f1 = 0;
  std::size_t count = 0;
  /// Texts whose label no training text had: each counts as wrong.
  std::size_t unseen = 0;
};

/// `predicted` are classes; `labels` are classes, or -1 for a label unseen in training.
/// Throws ShapeError unless they are of one size, ValueError for another class. Of nothing: all
/// zero.
PADLESS_API ClassificationMetrics classification_metrics(std::span<const std::int32_t> predicted,
                                                         std::span<const std::int32_t> labels,
                                                         std::size_t classes);

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
