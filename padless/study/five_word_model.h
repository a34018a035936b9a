#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "padless/batch/segments.h"
#include "padless/core/matrix.h"
#include "padless/core/runtime.h"
#include "padless/models/transformer_encoder.h"
#include "padless/ops/loss_sum.h"
#include "padless/train/optimizer.h"

namespace padless::study {

/// The five-word experiment's model: a small Transformer encoder that tells a word for each row.
/// It is the library's own and knows no PAD: where PADs are to be attended to, they are given to it
/// as words.
class FiveWordModel {
 public:
  explicit FiveWordModel(std::uint64_t seed);

  const TransformerEncoderConfig& config() const { return encoder_.config(); }

  /// The vectors of all rows [T, C] ...
  Matrix<float> vectors(Runtime& runtime, const Segments& segs,
                        std::span<const std::int32_t> ids) const;
  /// ... and what they say: [T, V] before the softmax.
  Matrix<float> scores(Runtime& runtime, const Segments& segs,
                       std::span<const std::int32_t> ids) const;
  /// What the first layer's first head attends to in one sequence of N rows: [N, N].
  Matrix<float> attention(Runtime& runtime, std::span<const std::int32_t> ids) const;

  /// Adds the gradient of the rows' loss, divided by how many rows it counts. Rows labelled
  /// kIgnored do not count.
  LossSum add_gradient(Runtime& runtime, const Segments& segs, std::span<const std::int32_t> ids,
                       std::span<const std::int32_t> labels);
  /// All gradients end to end; they are 0 afterwards.
  std::vector<float> take_gradient();
  /// Moves the values by the gradients, which are 0 afterwards.
  void step(Runtime& runtime);

 private:
  std::vector<Parameter*> all_parameters();

  TransformerEncoder encoder_;
  AdamW optimizer_;
};

}  // namespace padless::study
