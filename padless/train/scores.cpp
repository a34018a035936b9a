#include "padless/train/scores.h"

#include <algorithm>

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

}  // namespace padless
