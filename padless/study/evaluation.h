#pragma once

#include <cstddef>

#include "padless/core/matrix.h"
#include "padless/core/runtime.h"
#include "padless/train/examples.h"
#include "padless/train/trainee.h"

namespace padless::study {

/// Scores [size, K] of all examples, computed in batches of `batch_documents` in order of arrival.
Matrix<float> scores_in_batches(Runtime& runtime, Trainee& model, const Examples& examples,
                                std::size_t batch_documents);

/// How two answers about the same texts differ.
struct Disagreement {
  double predictions = 0;     ///< share of texts with another best class
  double scores = 0;          ///< share of texts with a score of other bits
  double largest_change = 0;  ///< of a score
};
/// Throws ShapeError unless both are of one shape.
Disagreement disagreement(MatrixView<const float> a, MatrixView<const float> b);

}  // namespace padless::study
