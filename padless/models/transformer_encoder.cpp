#include "padless/models/transformer_encoder.h"

#include <algorithm>

#include "padless/core/error.h"
#include "padless/core/fp.h"
#include "padless/layers/checks.h"
#include "padless/models/stack.h"
#include "padless/ops/attention.h"
#include "padless/ops/dropout.h"
#include "padless/ops/pool.h"

namespace padless {
namespace {

constexpr const char* kName = "TransformerEncoder";

// Numbers of the ops that draw: part of every draw's key.
constexpr std::uint32_t kHeadDropout = 0;
constexpr std::uint32_t kStack = 1;

std::optional<AdditiveAttentionPooling> pooling_of(const TransformerEncoderConfig& config,
                                                   Rng& rng) {
  if (config.pooling != EncoderPooling::additive_attention) return std::nullopt;
  return AdditiveAttentionPooling(config.width, config.pooling_attention, rng);
}

PoolKind kind_of(EncoderPooling pooling) {
  switch (pooling) {
    case EncoderPooling::max:
      return PoolKind::max;
    case EncoderPooling::first:
      return PoolKind::first;
    default:
      return PoolKind::mean;
  }
}

}  // namespace

EncoderStackConfig TransformerEncoderConfig::stack() const {
  return {.vocabulary = vocabulary,
          .layers = layers,
          .block = block_of(*this),
          .positions = positions,
          .max_length = max_length,
          .share_layers = share_layers,
          .frozen_blocks = frozen_blocks,
          .frozen_embeddings = frozen_embeddings,
          .recompute = recompute};
}

void TransformerEncoderConfig::check() const {
  require_size(kName, "outputs", outputs);
  require_size(kName, "pooling_attention", pooling_attention);
  stack().check(kName);
  require_parameters(kName, parameters());
}

double TransformerEncoderConfig::parameters() const {
  const auto wide = [](std::size_t value) { return static_cast<double>(value); };
  double count = stack().parameters() + wide(outputs) * (wide(width) + 1);
  if (pooling == EncoderPooling::additive_attention) {
    count += wide(pooling_attention) * (wide(width) + 2);
  }
  return count;
}

TransformerEncoder::TransformerEncoder(const TransformerEncoderConfig& config, Rng& rng)
    : config_(checked(config)),
      stack_(config.stack(), kName, rng),
      pool_(pooling_of(config, rng)),
      head_(config.width, config.outputs, rng) {}

void TransformerEncoder::forward(Runtime& runtime, const NestedPass& pass,
                                 std::span<const std::int32_t> ids, MatrixView<float> out,
                                 Saved& saved) const {
  const Segments& words = pass.kept().words();
  const bool per_token = config_.pooling == EncoderPooling::per_token;
  const std::size_t out_rows = per_token ? words.total() : words.count();
  require_shape(ids.size() == words.total(), kName, ": there are ", ids.size(), " ids, expected ",
                words.total(), " (the number of words)");
  require_shape(out.rows() == out_rows && out.cols() == config_.outputs, kName, ": out is [",
                out.rows(), ", ", out.cols(), "], expected [", out_rows, ", ", config_.outputs,
                "]");
  Arena& arena = runtime.arena();
  saved.rows = arena.matrix(ids.size(), config_.width);
  saved.pooled = arena.matrix(out_rows, config_.width);
  stack_.forward(runtime, pass.words(), kStack, words, ids, saved.rows, saved.stack);
  MatrixView<const float> read = saved.rows;
  if (pool_) {
    pool_->forward(runtime, pass.words(), saved.rows, words, saved.pooled, saved.pool);
    read = saved.pooled;
  } else if (!per_token) {
    pool_forward(runtime, pass.words(), kind_of(config_.pooling), saved.rows, words, saved.pooled);
    read = saved.pooled;
  }
  dropout_forward(runtime, head_pass(pass), config_.dropout, kHeadDropout, read, saved.pooled);
  head_.forward(runtime, head_pass(pass), saved.pooled, out);
}

void TransformerEncoder::backward(Runtime& runtime, const NestedPass& pass,
                                  MatrixView<const float> d_out, std::span<const std::int32_t> ids,
                                  const Saved& saved) {
  const Segments& words = pass.kept().words();
  const Arena::Scope scope(runtime.arena());
  const MatrixView<float> d_rows = runtime.arena().matrix(ids.size(), config_.width);
  const MatrixView<float> d_pooled =
      config_.pooling == EncoderPooling::per_token
          ? d_rows
          : runtime.arena().matrix(saved.pooled.rows(), config_.width);
  head_.backward(runtime, head_pass(pass), d_out, saved.pooled, d_pooled);
  dropout_backward(runtime, head_pass(pass), config_.dropout, kHeadDropout, d_pooled, d_pooled);
  if (pool_) {
    pool_->backward(runtime, pass.words(), d_pooled, saved.rows, words, saved.pool, d_rows);
  } else if (config_.pooling != EncoderPooling::per_token) {
    pool_backward(runtime, pass.words(), kind_of(config_.pooling), d_pooled, saved.rows, words,
                  d_rows);
  }
  stack_.backward(runtime, pass.words(), kStack, d_rows, words, ids, saved.stack);
}

void TransformerEncoder::encode(Runtime& runtime, const Pass& pass, const Segments& segs,
                                std::span<const std::int32_t> ids, MatrixView<float> rows,
                                EncoderStack::Saved& saved) const {
  stack_.forward(runtime, pass, kStack, segs, ids, rows, saved);
}

void TransformerEncoder::encode_backward(Runtime& runtime, const Pass& pass,
                                         MatrixView<const float> d_rows, const Segments& segs,
                                         std::span<const std::int32_t> ids,
                                         const EncoderStack::Saved& saved) {
  stack_.backward(runtime, pass, kStack, d_rows, segs, ids, saved);
}

void TransformerEncoder::attention_weights(Runtime& runtime, const Pass& pass, const Segments& segs,
                                           std::size_t layer, const EncoderStack::Saved& saved,
                                           std::span<float> weights) const {
  stack_.attention_weights(runtime, pass, kStack, segs, layer, saved, weights);
}

void TransformerEncoder::word_weights(Runtime& runtime, const NestedPass& pass, const Saved& saved,
                                      std::span<float> weights) const {
  const Segments& words = pass.kept().words();
  require_shape(weights.size() == words.total(), kName, ": there is room for ", weights.size(),
                " weights, expected ", words.total(), " (the number of words)");
  if (pool_) {
    require_value(saved.pool.weights.size() == words.total(), kName,
                  ": there are no weights of these words");
    std::ranges::copy(saved.pool.weights, weights.begin());
    return;
  }
  const Arena::Scope scope(runtime.arena());
  const FpEnvironment environment;
  const std::size_t heads = config_.heads;
  const std::span<float> all =
      runtime.arena().take<float>(attention_weights_begin(words, words, heads, words.count()));
  attention_weights(runtime, pass.words(), words, config_.layers - 1, saved.stack, all);
  const float* rows = all.data();  // of a text: [H * N, N]
  for (std::size_t d = 0; d < words.count(); ++d) {
    const std::size_t n = words.length(d);
    const std::span<float> to = weights.subspan(words[d].begin, n);
    std::ranges::fill(to, 0.0f);
    for (std::size_t row = 0; row < heads * n; ++row) {
      for (std::size_t key = 0; key < n; ++key) to[key] = to[key] + rows[row * n + key];
    }
    rows += heads * n * n;
    for (float& weight : to) weight = weight / static_cast<float>(heads * n);
  }
}

}  // namespace padless
