#include "padless/models/decoder_stack.h"

#include <numeric>
#include <utility>

#include "padless/core/error.h"
#include "padless/layers/checks.h"
#include "padless/layers/extend_or_undo.h"
#include "padless/models/stack.h"
#include "padless/ops/residual.h"

namespace padless {
namespace {

std::uint32_t op_of_block(std::uint32_t op, std::size_t layer) {
  return op + 1 + static_cast<std::uint32_t>(layer) * DecoderBlock::kOps;
}

}  // namespace

void DecoderStackConfig::check(const char* who) const { check_stack(*this, who); }

double DecoderStackConfig::parameters() const {
  return embedding_of(*this).parameters() +
         static_cast<double>(layers) * DecoderBlock::parameters(block) + block.norm_parameters();
}

DecoderCache::DecoderCache(const DecoderCache& other)
    : sources_(other.sources_), source_of_(other.source_of_), layers_(other.layers_) {
  look();
}

void DecoderCache::reorder(std::span<const std::size_t> from) {
  for (Layer& layer : layers_) layer.cache.reorder(from);
  std::vector<std::size_t> source_of;
  source_of.reserve(from.size());
  for (const std::size_t b : from) source_of.push_back(source_of_[b]);
  source_of_ = std::move(source_of);
  look();
}

void DecoderCache::shorten(std::span<const std::size_t> lengths) {
  for (Layer& layer : layers_) layer.cache.shorten(lengths);
}

void DecoderCache::look() {
  for (Layer& layer : layers_) {
    layer.source_keys.clear();
    layer.source_values.clear();
    layer.source_keys.reserve(count());
    layer.source_values.reserve(count());
    for (const std::size_t source : source_of_) {
      const auto [begin, end] = sources_[source];
      const auto rows = [begin = begin, end = end](const Matrix<float>& all) {
        return all.view().rows_at(begin, end - begin);
      };
      layer.source_keys.push_back(rows(layer.keys));
      layer.source_values.push_back(rows(layer.values));
    }
  }
}

DecoderStack::DecoderStack(const DecoderStackConfig& config, const char* who, Rng& rng)
    : config_(checked(config, who)),
      who_(who),
      embedding_(embedding_of(config), rng),
      norm_(config.block.norm, config.block.width, config.block.epsilon) {
  const BlockConfig block = config.block.with_positions(config.positions, config.max_length);
  blocks_.reserve(config.layers);
  for (std::size_t b = 0; b < config.layers; ++b) blocks_.emplace_back(block, rng);
}

void DecoderStack::forward(Runtime& runtime, const Pass& pass, std::uint32_t op,
                           const Segments& segs, std::span<const std::int32_t> ids,
                           const AttentionSources& sources, MatrixView<float> rows,
                           Saved& saved) const {
  require_rows(who_, rows, segs, config_.block.width);
  Arena& arena = runtime.arena();
  const Arena::Mark before = arena.mark();
  const auto matrix = [&] { return arena.matrix(segs.total(), config_.block.width); };
  saved.inputs.assign(config_.layers, {});
  saved.blocks.assign(config_.layers, {});

  MatrixView<float> in = matrix(), spare;
  embedding_.forward(runtime, pass, op, who_, segs, {}, ids, in);
  if (!norm_on_top()) {
    saved.words = in;
    in = matrix();
    norm_.forward(runtime, pass, saved.words, in, saved.norm);
  }
  for (std::size_t l = 0; l < config_.layers; ++l) {
    const bool last = l + 1 == config_.layers;
    MatrixView<float> out = rows;
    if (!last || norm_on_top()) out = spare.cols() > 0 ? spare : matrix();
    if (!pass.training) spare = in;
    const Arena::Mark inside = arena.mark();
    blocks_[l].forward(runtime, pass, op_of_block(op, l), in, segs, sources, out, saved.blocks[l]);
    if (pass.training) {
      saved.inputs[l] = in;
    } else {
      saved.blocks[l] = {};
      arena.rewind(inside);
    }
    in = out;
  }
  if (norm_on_top()) {
    saved.top = in;
    norm_.forward(runtime, pass, in, rows, saved.norm);
  }
  if (pass.training) return;
  saved.words = saved.top = {};
  saved.norm = {};
  arena.rewind(before);
}

void DecoderStack::backward(Runtime& runtime, const Pass& pass, std::uint32_t op,
                            MatrixView<const float> d_rows, const Segments& segs,
                            std::span<const std::int32_t> ids, const AttentionSources& sources,
                            const Saved& saved, MatrixView<float> d_sources) {
  Arena& arena = runtime.arena();
  const Arena::Scope scope(arena);
  const auto matrix = [&] { return arena.matrix(segs.total(), config_.block.width); };

  MatrixView<float> d_in = matrix(), spare = matrix();
  const MatrixView<float> d_asked = arena.matrix(d_sources.rows(), d_sources.cols());
  MatrixView<const float> d_out = d_rows;
  if (norm_on_top()) {
    norm_.backward(runtime, pass, d_rows, saved.top, saved.norm, d_in);
    d_out = d_in;
    std::swap(d_in, spare);
  }
  for (std::size_t l = config_.layers; l-- > 0;) {
    const bool first = l + 1 == config_.layers;
    blocks_[l].backward(runtime, pass, op_of_block(op, l), d_out, saved.inputs[l], segs, sources,
                        saved.blocks[l], d_in, first ? d_sources : d_asked);
    if (!first) add_to(runtime, sources.pass, d_asked, d_sources);
    d_out = d_in;
    std::swap(d_in, spare);
  }
  MatrixView<const float> d_words = d_out;
  if (!norm_on_top()) {
    norm_.backward(runtime, pass, d_out, saved.words, saved.norm, d_in);
    d_words = d_in;
  }
  embedding_.backward(runtime, pass, op, segs, ids, d_words);
}

DecoderCache DecoderStack::start(Runtime& runtime, const AttentionSources& sources) const {
  DecoderCache cache;
  cache.sources_ = sources.segs;
  cache.source_of_.resize(sources.segs.count());
  std::iota(cache.source_of_.begin(), cache.source_of_.end(), std::size_t{0});
  cache.layers_.reserve(blocks_.size());
  for (const DecoderBlock& block : blocks_) {
    const MultiHeadAttention& cross = block.cross_attention();
    DecoderCache::Layer& layer = cache.layers_.emplace_back(
        DecoderCache::Layer{.cache = block.self_attention().cache(sources.segs.count()),
                            .keys = Matrix<float>(sources.rows.rows(), cross.key_cols()),
                            .values = Matrix<float>(sources.rows.rows(), cross.key_cols()),
                            .source_keys = {},
                            .source_values = {}});
    cross.project(runtime, sources, layer.keys.view(), layer.values.view());
  }
  cache.look();
  return cache;
}

void DecoderStack::extend(Runtime& runtime, const Segments& segs, std::span<const std::int32_t> ids,
                          DecoderCache& cache, MatrixView<float> rows) const {
  require_shape(segs.count() == cache.count(), who_, ": there are words of ", segs.count(),
                " sequences, expected ", cache.count());
  require_shape(cache.layers_.size() == blocks_.size(), who_, ": the cache is of ",
                cache.layers_.size(), " layers, expected ", blocks_.size());
  require_rows(who_, rows, segs, config_.block.width);
  Arena& arena = runtime.arena();
  const Arena::Scope scope(arena);
  const Pass pass;
  const auto matrix = [&] { return arena.matrix(segs.total(), config_.block.width); };

  Norm::Saved norm;
  MatrixView<float> in = matrix(), out = matrix();
  extend_or_undo(arena, cache, [&](std::span<const std::size_t> first) {
    embedding_.forward(runtime, pass, 0, who_, segs, first, ids, in);
    if (!norm_on_top()) {
      norm_.forward(runtime, pass, in, out, norm);
      std::swap(in, out);
    }
    for (std::size_t l = 0; l < config_.layers; ++l) {
      DecoderCache::Layer& layer = cache.layers_[l];
      const bool into_rows = l + 1 == config_.layers && !norm_on_top();
      blocks_[l].extend(runtime, pass, in, segs, layer.cache, layer.source_keys,
                        layer.source_values, into_rows ? rows : out);
      std::swap(in, out);
    }
    if (norm_on_top()) norm_.forward(runtime, pass, in, rows, norm);
  });
}

}  // namespace padless
