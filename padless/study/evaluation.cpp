#include "padless/study/evaluation.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "padless/batch/bucket.h"
#include "padless/batch/nested_pass.h"
#include "padless/core/error.h"
#include "padless/train/scores.h"

namespace padless::study {

Matrix<float> scores_in_batches(Runtime& runtime, Trainee& model, const Examples& examples,
                                std::size_t batch_documents) {
  Matrix<float> scores(examples.size(), model.outputs());
  const Batches batches = in_arrival_order(examples.size(), batch_documents);
  for (std::size_t i = 0; i < batches.count(); ++i) {
    const ExampleBatch batch = gather(examples, batches[i]);
    const Arena::Scope scope(runtime.arena());
    const NestedPass pass(batch.nested);
    model.forward(runtime, pass, batch.ids,
                  scores.view().rows_at(batches[i].front(), batches[i].size()));
  }
  return scores;
}

Disagreement disagreement(MatrixView<const float> a, MatrixView<const float> b) {
  require_shape(a.rows() == b.rows() && a.cols() == b.cols(), "disagreement: the scores are [",
                a.rows(), ", ", a.cols(), "] and [", b.rows(), ", ", b.cols(),
                "], expected one shape");
  Disagreement result;
  if (a.rows() == 0) return result;
  const std::vector<std::int32_t> classes_a = best_classes(a), classes_b = best_classes(b);
  std::size_t predictions = 0, scores = 0;
  for (std::size_t d = 0; d < a.rows(); ++d) {
    predictions += classes_a[d] != classes_b[d] ? 1 : 0;
    bool same = true;
    for (std::size_t k = 0; k < a.cols(); ++k) {
      same = same && std::bit_cast<std::uint32_t>(a(d, k)) == std::bit_cast<std::uint32_t>(b(d, k));
      const double change = static_cast<double>(a(d, k)) - static_cast<double>(b(d, k));
      result.largest_change = std::max(result.largest_change, std::fabs(change));
    }
    scores += same ? 0 : 1;
  }
  const auto count = static_cast<double>(a.rows());
  result.predictions = static_cast<double>(predictions) / count;
  result.scores = static_cast<double>(scores) / count;
  return result;
}

}  // namespace padless::study
