#include "padless/layers/multi_head_attention.h"

#include "padless/core/error.h"
#include "padless/layers/checks.h"
#include "padless/layers/extend_or_undo.h"
#include "padless/ops/residual.h"

namespace padless {
namespace {

MatrixView<float> like(Runtime& runtime, MatrixView<const float> m) {
  return runtime.arena().matrix(m.rows(), m.cols());
}

// to = to + the gradient that `from` sends through `linear`.
void add_through(Runtime& runtime, const Pass& pass, Linear& linear, MatrixView<const float> d_y,
                 MatrixView<const float> x, MatrixView<float> to) {
  const Arena::Scope scope(runtime.arena());
  const MatrixView<float> part = to.cols() > 0 ? like(runtime, to) : MatrixView<float>();
  linear.backward(runtime, pass, d_y, x, part);
  if (to.cols() > 0) add_to(runtime, pass, part, to);
}

}  // namespace

void MultiHeadAttentionConfig::check() const {
  constexpr const char* kName = "MultiHeadAttention";
  require_size(kName, "width", width);
  require_size(kName, "source_width", width_of_sources());
  require_size(kName, "heads", heads);
  require_size(kName, "key_heads", heads_of_keys());
  require_value(heads % heads_of_keys() == 0, "MultiHeadAttention: key_heads is ", key_heads,
                ", expected a divisor of heads, ", heads);
  require_value(head_width != 0 || width % heads == 0, "MultiHeadAttention: width is ", width,
                ", expected a multiple of heads, ", heads, ", or a head_width beside it");
  require_size(kName, "head_width", width_of_a_head());
  require_size(kName, "heads * head_width", heads * width_of_a_head());
  require_value(rotary == nullptr || rotary->width() <= width_of_a_head(),
                "MultiHeadAttention: the rotary table turns ", rotary ? rotary->width() : 0,
                " columns, expected at most head_width, ", width_of_a_head());
  require_dropout(kName, dropout);
}

double MultiHeadAttentionConfig::parameters() const {
  const auto wide = [](std::size_t value) { return static_cast<double>(value); };
  const double queries = wide(heads) * wide(width_of_a_head());
  const double keys = wide(heads_of_keys()) * wide(width_of_a_head());
  return queries * (wide(width) + 1) + 2 * keys * (wide(width_of_sources()) + 1) +
         wide(width) * (queries + 1);
}

MultiHeadAttention::MultiHeadAttention(const MultiHeadAttentionConfig& config, Rng& rng)
    : config_(checked(config)),
      slopes_(config.alibi ? alibi_slopes(config.heads) : std::vector<float>()),
      query_(config.width, config.heads * config.width_of_a_head(), rng),
      key_(config.width_of_sources(), config.heads_of_keys() * config.width_of_a_head(), rng),
      value_(config.width_of_sources(), config.heads_of_keys() * config.width_of_a_head(), rng),
      output_(config.heads * config.width_of_a_head(), config.width, rng) {}

AttentionOptions MultiHeadAttention::options(std::uint32_t op, const AttentionMask& mask) const {
  return {.heads = config_.heads,
          .key_heads = config_.heads_of_keys(),
          .attend = config_.attend,
          .keep = mask.keep,
          .bias = mask.bias,
          .alibi_slopes = slopes_,
          .dropout = config_.dropout,
          .op = op};
}

void MultiHeadAttention::forward(Runtime& runtime, const Pass& pass, std::uint32_t op,
                                 MatrixView<const float> x, const Segments& segs,
                                 const AttentionSources& sources, MatrixView<float> out,
                                 Saved& saved, const AttentionMask& mask) const {
  Arena& arena = runtime.arena();
  saved.q = arena.matrix(x.rows(), query_.out());
  saved.k = arena.matrix(sources.rows.rows(), key_.out());
  saved.v = arena.matrix(sources.rows.rows(), value_.out());
  saved.attended = arena.matrix(x.rows(), query_.out());
  saved.stats = {arena.matrix(x.rows(), config_.heads), arena.matrix(x.rows(), config_.heads)};
  query_.forward(runtime, pass, x, saved.q);
  turn(runtime, pass, config_.heads, segs, {}, saved.q);
  project(runtime, sources, {}, saved.k, saved.v);
  attention_forward(runtime, pass, options(op, mask), saved.q, segs, saved.k, saved.v, sources.segs,
                    saved.attended, saved.stats);
  output_.forward(runtime, pass, saved.attended, out);
}

void MultiHeadAttention::backward(Runtime& runtime, const Pass& pass, std::uint32_t op,
                                  MatrixView<const float> d_out, MatrixView<const float> x,
                                  const Segments& segs, const AttentionSources& sources,
                                  const Saved& saved, MatrixView<float> d_x,
                                  MatrixView<float> d_sources, const AttentionMask& mask) {
  const Arena::Scope scope(runtime.arena());
  const MatrixView<float> d_attended = like(runtime, saved.attended);
  const AttentionGradients gradients{
      .d_q = like(runtime, saved.q), .d_k = like(runtime, saved.k), .d_v = like(runtime, saved.v)};
  output_.backward(runtime, pass, d_out, saved.attended, d_attended);
  attention_backward(runtime, pass, options(op, mask), d_attended, saved.q, segs, saved.k, saved.v,
                     sources.segs, saved.attended, saved.stats, gradients);
  turn_back(runtime, pass, config_.heads, segs, gradients.d_q);
  turn_back(runtime, sources.pass, config_.heads_of_keys(), sources.segs, gradients.d_k);
  query_.backward(runtime, pass, gradients.d_q, x, d_x);
  key_.backward(runtime, sources.pass, gradients.d_k, sources.rows, d_sources);
  add_through(runtime, sources.pass, value_, gradients.d_v, sources.rows, d_sources);
}

void MultiHeadAttention::backward(Runtime& runtime, const Pass& pass, std::uint32_t op,
                                  MatrixView<const float> d_out, MatrixView<const float> x,
                                  const Segments& segs, const Saved& saved, MatrixView<float> d_x,
                                  const AttentionMask& mask) {
  const Arena::Scope scope(runtime.arena());
  const MatrixView<float> d_sources = d_x.cols() > 0 ? like(runtime, d_x) : d_x;
  backward(runtime, pass, op, d_out, x, segs, {pass, x, segs}, saved, d_x, d_sources, mask);
  if (d_x.cols() > 0) add_to(runtime, pass, d_sources, d_x);
}

void MultiHeadAttention::attention_weights(Runtime& runtime, const Pass& pass, const Segments& segs,
                                           const Segments& source_segs, const Saved& saved,
                                           std::span<float> weights,
                                           const AttentionMask& mask) const {
  padless::attention_weights(runtime, pass, options(0, mask), saved.q, segs, saved.k, source_segs,
                             saved.stats, weights);
}

void MultiHeadAttention::turn(Runtime& runtime, const Pass& pass, std::size_t heads,
                              const Segments& segs, std::span<const std::size_t> first,
                              MatrixView<float> x) const {
  if (config_.rotary != nullptr) {
    rope_forward(runtime, pass, *config_.rotary, heads, x, segs, first, x);
  }
}

void MultiHeadAttention::turn_back(Runtime& runtime, const Pass& pass, std::size_t heads,
                                   const Segments& segs, MatrixView<float> d_x) const {
  if (config_.rotary != nullptr) {
    rope_backward(runtime, pass, *config_.rotary, heads, d_x, segs, {}, d_x);
  }
}

void MultiHeadAttention::project(Runtime& runtime, const AttentionSources& sources,
                                 std::span<const std::size_t> first, MatrixView<float> k,
                                 MatrixView<float> v) const {
  key_.forward(runtime, sources.pass, sources.rows, k);
  turn(runtime, sources.pass, config_.heads_of_keys(), sources.segs, first, k);
  value_.forward(runtime, sources.pass, sources.rows, v);
}

void MultiHeadAttention::extend(Runtime& runtime, const Pass& pass, MatrixView<const float> x,
                                const Segments& segs, KeyValueCache& cache,
                                MatrixView<float> out) const {
  Arena& arena = runtime.arena();
  const Arena::Scope scope(arena);
  require_shape(segs.count() == cache.count(), "MultiHeadAttention: there are rows of ",
                segs.count(), " sequences, expected ", cache.count(), " (those of the cache)");
  extend_or_undo(arena, cache, [&](std::span<const std::size_t> first) {
    const MatrixView<float> k = arena.matrix(x.rows(), key_.out());
    const MatrixView<float> v = arena.matrix(x.rows(), value_.out());
    project(runtime, {pass, x, segs}, first, k, v);
    cache.append(k, v, segs);
    const MatrixView<float> q = arena.matrix(x.rows(), query_.out());
    query_.forward(runtime, pass, x, q);
    turn(runtime, pass, config_.heads, segs, first, q);
    answer(runtime, pass, q, segs, cache.keys(), cache.values(), out);
  });
}

void MultiHeadAttention::project(Runtime& runtime, const AttentionSources& sources,
                                 MatrixView<float> k, MatrixView<float> v) const {
  project(runtime, sources, {}, k, v);
}

void MultiHeadAttention::ask(Runtime& runtime, const Pass& pass, MatrixView<const float> x,
                             const Segments& segs, std::span<const MatrixView<const float>> keys,
                             std::span<const MatrixView<const float>> values,
                             MatrixView<float> out) const {
  const Arena::Scope scope(runtime.arena());
  const MatrixView<float> q = runtime.arena().matrix(x.rows(), query_.out());
  query_.forward(runtime, pass, x, q);
  turn(runtime, pass, config_.heads, segs, {}, q);
  answer(runtime, pass, q, segs, keys, values, out);
}

void MultiHeadAttention::answer(Runtime& runtime, const Pass& pass, MatrixView<const float> q,
                                const Segments& segs, std::span<const MatrixView<const float>> keys,
                                std::span<const MatrixView<const float>> values,
                                MatrixView<float> out) const {
  Arena& arena = runtime.arena();
  const MatrixView<float> attended = arena.matrix(q.rows(), q.cols());
  const AttentionStats stats{arena.matrix(q.rows(), config_.heads),
                             arena.matrix(q.rows(), config_.heads)};
  attention_forward(runtime, pass, options(0, {}), q, segs, keys, values, attended, stats);
  output_.forward(runtime, pass, attended, out);
}

}  // namespace padless
