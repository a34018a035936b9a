#include "padless/study/exact_weights.h"

#include "padless/ops/attention_pool.h"

namespace padless::study {

std::vector<double> exact_weights(Runtime& runtime, std::span<const double> logits,
                                  std::size_t pads) {
  const std::vector<float> scores(logits.begin(), logits.end());
  const std::vector<std::size_t> lengths = {scores.size()};
  const Segments row = Segments::from_lengths(std::span<const std::size_t>(lengths));
  std::vector<float> weights(scores.size());
  Matrix<float> pooled(1, 1);
  attention_pool_forward(runtime, Pass(), {scores.data(), scores.size(), 1}, scores, row,
                         pooled.view(), weights);
  std::vector<double> all(weights.begin(), weights.end());
  all.resize(all.size() + pads, 0.0);
  return all;
}

}  // namespace padless::study
