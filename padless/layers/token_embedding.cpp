#include "padless/layers/token_embedding.h"

#include "padless/core/error.h"
#include "padless/ops/dropout.h"
#include "padless/ops/embedding.h"
#include "padless/ops/position_embedding.h"

namespace padless {
namespace {

// Small first rows: what a rare word has not learnt stays quiet. Sines are about 1 and must not
// drown the words.
double deviation(Positions positions) { return positions == Positions::sinusoidal ? 1.0 : 0.1; }

}  // namespace

double TokenEmbeddingConfig::parameters() const {
  const double rows = static_cast<double>(vocabulary) +
                      (positions == Positions::learned ? static_cast<double>(max_length) : 0);
  return rows * static_cast<double>(width);
}

TokenEmbedding::TokenEmbedding(const TokenEmbeddingConfig& config, Rng& rng)
    : config_(config),
      words_(rng.normal(config.vocabulary, config.width, deviation(config.positions))) {
  if (config.positions == Positions::learned) {
    positions_ =
        Parameter(rng.normal(config.max_length, config.width, deviation(config.positions)));
  } else if (config.positions == Positions::sinusoidal) {
    positions_.value = Matrix<float>(config.max_length, config.width);
    sinusoidal_positions(positions_.value.view());
  }
}

void TokenEmbedding::forward(Runtime& runtime, const Pass& pass, std::uint32_t op, const char* who,
                             const Segments& segs, std::span<const std::size_t> first,
                             std::span<const std::int32_t> ids, MatrixView<float> out) const {
  for (std::size_t b = 0; b < segs.count(); ++b) {
    const std::size_t length = (first.empty() ? 0 : first[b]) + segs.length(b);
    require_value(length <= config_.max_length, who, ": a sequence has ", length,
                  " words, expected at most ", config_.max_length,
                  " (max_length): cut it before, as the tokenizer's max_words does");
  }
  embedding_forward(runtime, pass, words_.value.view(), ids, out);
  if (adds_positions()) {
    position_embedding_forward(runtime, pass, positions_.value.view(), segs, first, out, out);
  }
  dropout_forward(runtime, pass, config_.dropout, op, out, out);
}

void TokenEmbedding::backward(Runtime& runtime, const Pass& pass, std::uint32_t op,
                              const Segments& segs, std::span<const std::int32_t> ids,
                              MatrixView<const float> d_out) {
  const Arena::Scope scope(runtime.arena());
  const MatrixView<float> d_rows = runtime.arena().matrix(d_out.rows(), d_out.cols());
  dropout_backward(runtime, pass, config_.dropout, op, d_out, d_rows);
  if (config_.positions == Positions::learned) {
    position_embedding_backward(runtime, pass, segs, {}, d_rows, positions_.gradient.view());
  }
  embedding_backward(runtime, pass, ids, d_rows, words_.gradient.view());
}

}  // namespace padless
