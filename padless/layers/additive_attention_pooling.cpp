#include "padless/layers/additive_attention_pooling.h"

#include <cmath>

#include "padless/ops/additive_scores.h"
#include "padless/ops/attention_pool.h"
#include "padless/ops/residual.h"

namespace padless {

AdditiveAttentionPooling::AdditiveAttentionPooling(std::size_t width, std::size_t attention,
                                                   Rng& rng)
    : projection_(width, attention, rng),
      context_(rng.normal(1, attention, 1 / std::sqrt(static_cast<double>(attention)))) {}

void AdditiveAttentionPooling::forward(Runtime& runtime, const Pass& pass,
                                       MatrixView<const float> x, const Segments& segs,
                                       MatrixView<float> out, Saved& saved) const {
  saved.u = runtime.arena().matrix(x.rows(), projection_.out());
  saved.weights = runtime.arena().take<float>(x.rows());
  const Arena::Scope scope(runtime.arena());
  const std::span<float> scores = runtime.arena().take<float>(x.rows());
  projection_.forward(runtime, pass, x, saved.u);
  additive_scores_forward(runtime, pass, saved.u, context_.value.cells(), saved.u, scores);
  attention_pool_forward(runtime, pass, x, scores, segs, out, saved.weights);
}

void AdditiveAttentionPooling::backward(Runtime& runtime, const Pass& pass,
                                        MatrixView<const float> d_out, MatrixView<const float> x,
                                        const Segments& segs, const Saved& saved,
                                        MatrixView<float> d_x) {
  const Arena::Scope scope(runtime.arena());
  const std::span<float> d_scores = runtime.arena().take<float>(x.rows());
  const MatrixView<float> d_projected = runtime.arena().matrix(x.rows(), projection_.out());
  const MatrixView<float> d_x_scored = runtime.arena().matrix(x.rows(), x.cols());
  attention_pool_backward(runtime, pass, d_out, x, saved.weights, segs, d_x, d_scores);
  additive_scores_backward(runtime, pass, d_scores, saved.u, context_.value.cells(), d_projected,
                           context_.gradient.cells());
  projection_.backward(runtime, pass, d_projected, x, d_x_scored);
  add_to(runtime, pass, d_x_scored, d_x);
}

}  // namespace padless
