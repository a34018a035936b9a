#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "padless/batch/nested_pass.h"
#include "padless/core/export.h"
#include "padless/core/matrix.h"
#include "padless/core/runtime.h"
#include "padless/train/examples.h"

namespace padless {

/// A model's forward pass: ids [T] of the pass's D documents -> out [D, K] (written).
using Forward = std::function<void(Runtime& runtime, const NestedPass& pass,
                                   std::span<const std::int32_t> ids, MatrixView<float> out)>;

/// Scores [size, outputs] of all examples, in their order. They are computed in batches of at most
/// `batch_tokens` words (a longer document alone), on which they do not depend.
PADLESS_API Matrix<float> scores_of(Runtime& runtime, const Forward& forward, std::size_t outputs,
                                    const Examples& examples, std::size_t batch_tokens);

/// The class of the largest score in each row; of equal ones the first.
PADLESS_API std::vector<std::int32_t> best_classes(MatrixView<const float> scores);

/// Of each score the probability of its label, each label's by itself: sigmoid(score). [D, K].
PADLESS_API Matrix<float> label_probabilities(Runtime& runtime, MatrixView<const float> scores);

/// What a label's probability has to be above to be said, if nothing else is asked for.
inline constexpr float kLabelThreshold = 0.5f;

/// The labels of one text whose probability is above the threshold, rising.
PADLESS_API std::vector<std::int32_t> labels_above(std::span<const float> probabilities,
                                                   float threshold = kLabelThreshold);

}  // namespace padless
