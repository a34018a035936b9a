#include "padless/train/scores.h"

#include <algorithm>

#include "padless/ops/activation.h"

namespace padless {

Matrix<float> scores_of(Runtime& runtime, const Forward& forward, std::size_t outputs,
                        const Examples& examples, std::size_t batch_tokens) {
  Matrix<float> scores(examples.size(), outputs);
  for (std::size_t first = 0; first < examples.size();) {
    std::vector<std::size_t> items;
    std::size_t words = 0;
    for (std::size_t i = first; i < examples.size(); ++i) {
      const std::size_t more = examples.documents[i].words.size();
      if (!items.empty() && words + more > batch_tokens) break;
      words += more;
      items.push_back(i);
    }
    const ExampleBatch batch = gather(examples, items);
    const NestedPass pass(batch.nested);
    const Arena::Scope scope(runtime.arena());
    forward(runtime, pass, batch.ids, scores.view().rows_at(first, items.size()));
    first += items.size();
  }
  return scores;
}

std::vector<std::int32_t> best_classes(MatrixView<const float> scores) {
  std::vector<std::int32_t> best;
  for (std::size_t r = 0; r < scores.rows(); ++r) {
    const auto row = scores.row(r);
    best.push_back(static_cast<std::int32_t>(std::ranges::max_element(row) - row.begin()));
  }
  return best;
}

Matrix<float> label_probabilities(Runtime& runtime, MatrixView<const float> scores) {
  Matrix<float> probabilities(scores.rows(), scores.cols());
  activation_forward(runtime, {}, Activation::sigmoid, scores, probabilities.view());
  return probabilities;
}

std::vector<std::int32_t> labels_above(std::span<const float> probabilities, float threshold) {
  std::vector<std::int32_t> labels;
  for (std::size_t k = 0; k < probabilities.size(); ++k) {
    if (probabilities[k] > threshold) labels.push_back(static_cast<std::int32_t>(k));
  }
  return labels;
}

}  // namespace padless
