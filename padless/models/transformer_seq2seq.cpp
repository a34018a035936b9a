#include "padless/models/transformer_seq2seq.h"

#include <algorithm>
#include <utility>

#include "padless/core/error.h"
#include "padless/layers/checks.h"
#include "padless/layers/extend_or_undo.h"
#include "padless/models/stack.h"

namespace padless {
namespace {

constexpr const char* kName = "TransformerSeq2Seq";

// The first number of the draws of either side.
constexpr std::uint32_t kEncoder = 0;
std::uint32_t decoder_op(const TransformerSeq2SeqConfig& config) {
  return kEncoder + EncoderStack::ops(config.encoder());
}

Segments one_row_each(std::size_t count) {
  return Segments::from_lengths(std::span<const std::size_t>(std::vector<std::size_t>(count, 1)));
}

}  // namespace

EncoderStackConfig TransformerSeq2SeqConfig::encoder() const {
  return {.vocabulary = source_vocabulary,
          .layers = encoder_layers,
          .block = block_of(*this),
          .positions = positions,
          .max_length = max_length};
}

DecoderStackConfig TransformerSeq2SeqConfig::decoder() const {
  return {.vocabulary = target_vocabulary,
          .layers = decoder_layers,
          .block = block_of(*this),
          .positions = positions,
          .max_length = max_length};
}

void TransformerSeq2SeqConfig::check() const {
  encoder().check(kName);
  decoder().check(kName);
  const auto word = [this](const char* name, std::int32_t id) {
    require_value(id >= 0 && static_cast<std::size_t>(id) < target_vocabulary, kName, ": ", name,
                  " is ", id, ", expected a word of the target's ", target_vocabulary);
  };
  word("begin", begin);
  word("end", end);
  require_parameters(kName, parameters());
}

double TransformerSeq2SeqConfig::parameters() const {
  return encoder().parameters() + decoder().parameters() +
         static_cast<double>(target_vocabulary) * (static_cast<double>(width) + 1);
}

ShiftedTargets ShiftedTargets::of(const Segments& targets, std::span<const std::int32_t> ids,
                                  std::int32_t begin, std::int32_t end) {
  require_shape(ids.size() == targets.total(), "ShiftedTargets: there are ", ids.size(),
                " ids, expected ", targets.total(), " (the sum of the targets' lengths)");
  ShiftedTargets shifted;
  std::vector<std::size_t> lengths;
  lengths.reserve(targets.count());
  shifted.ids.reserve(ids.size() + targets.count());
  shifted.labels.reserve(ids.size() + targets.count());
  for (std::size_t b = 0; b < targets.count(); ++b) {
    const auto own = ids.subspan(targets[b].begin, targets.length(b));
    lengths.push_back(own.size() + 1);
    shifted.ids.push_back(begin);
    shifted.ids.insert(shifted.ids.end(), own.begin(), own.end());
    shifted.labels.insert(shifted.labels.end(), own.begin(), own.end());
    shifted.labels.push_back(end);
  }
  shifted.segs = Segments::from_lengths(std::span<const std::size_t>(lengths));
  return shifted;
}

TransformerSeq2Seq::TransformerSeq2Seq(const TransformerSeq2SeqConfig& config, Rng& rng)
    : config_(checked(config)),
      encoder_(config.encoder(), kName, rng),
      decoder_(config.decoder(), kName, rng),
      head_(config.width, config.target_vocabulary, rng) {}

void TransformerSeq2Seq::forward(Runtime& runtime, const PairPass& pass,
                                 std::span<const std::int32_t> source_ids,
                                 std::span<const std::int32_t> ids, MatrixView<float> out,
                                 Saved& saved) const {
  Arena& arena = runtime.arena();
  saved.sources = arena.matrix(pass.sources().total(), config_.width);
  saved.rows = arena.matrix(pass.targets().total(), config_.width);
  encoder_.forward(runtime, pass.source_pass(), kEncoder, pass.sources(), source_ids, saved.sources,
                   saved.encoder);
  decoder_.forward(runtime, pass.target_pass(), decoder_op(config_), pass.targets(), ids,
                   {pass.source_pass(), saved.sources, pass.sources()}, saved.rows, saved.decoder);
  head_.forward(runtime, pass.target_pass(), saved.rows, out);
}

void TransformerSeq2Seq::backward(Runtime& runtime, const PairPass& pass,
                                  MatrixView<const float> d_out,
                                  std::span<const std::int32_t> source_ids,
                                  std::span<const std::int32_t> ids, const Saved& saved) {
  const Arena::Scope scope(runtime.arena());
  const MatrixView<float> d_rows = runtime.arena().matrix(saved.rows.rows(), config_.width);
  const MatrixView<float> d_sources = runtime.arena().matrix(saved.sources.rows(), config_.width);
  head_.backward(runtime, pass.target_pass(), d_out, saved.rows, d_rows);
  decoder_.backward(runtime, pass.target_pass(), decoder_op(config_), d_rows, pass.targets(), ids,
                    {pass.source_pass(), saved.sources, pass.sources()}, saved.decoder, d_sources);
  encoder_.backward(runtime, pass.source_pass(), kEncoder, d_sources, pass.sources(), source_ids,
                    saved.encoder);
}

DecoderCache TransformerSeq2Seq::start(Runtime& runtime, const Segments& sources,
                                       std::span<const std::int32_t> source_ids) const {
  const Arena::Scope scope(runtime.arena());
  const MatrixView<float> rows = runtime.arena().matrix(sources.total(), config_.width);
  EncoderStack::Saved saved;
  const Pass pass;
  encoder_.forward(runtime, pass, kEncoder, sources, source_ids, rows, saved);
  return decoder_.start(runtime, {pass, rows, sources});
}

void TransformerSeq2Seq::extend(Runtime& runtime, const Segments& segs,
                                std::span<const std::int32_t> ids, DecoderCache& cache,
                                MatrixView<float> out) const {
  const Arena::Scope scope(runtime.arena());
  const MatrixView<float> rows = runtime.arena().matrix(segs.total(), config_.width);
  extend_or_undo(runtime.arena(), cache, [&](std::span<const std::size_t>) {
    decoder_.extend(runtime, segs, ids, cache, rows);
    head_.forward(runtime, {}, rows, out);
  });
}

std::vector<std::vector<Decoded>> TransformerSeq2Seq::decode(
    Runtime& runtime, const Segments& sources, std::span<const std::int32_t> source_ids,
    const DecodingOptions& options) const {
  DecodingOptions limited = options;
  // A row is read for each word that is written, the first of them being begin.
  if (options.max_length == 0 || options.max_length > config_.max_length) {
    limited.max_length = config_.max_length;
  }
  std::vector<BeamSearch> searches(sources.count(), BeamSearch(limited, config_.end));
  DecoderCache cache = start(runtime, sources, source_ids);
  std::vector<std::int32_t> ids(sources.count(), config_.begin);
  while (!ids.empty()) {
    const Arena::Scope scope(runtime.arena());
    const MatrixView<float> scores = runtime.arena().matrix(ids.size(), config_.target_vocabulary);
    extend(runtime, one_row_each(ids.size()), ids, cache, scores);
    std::vector<std::size_t> from;
    std::vector<std::int32_t> next;
    from.reserve(searches.size() * options.beams);
    next.reserve(searches.size() * options.beams);
    std::size_t row = 0;
    for (BeamSearch& search : searches) {
      const std::size_t live = search.live().size();
      if (live == 0) continue;
      for (const std::size_t beam : search.advance(runtime, scores.rows_at(row, live))) {
        from.push_back(row + beam);
      }
      for (const Decoded& hypothesis : search.live()) next.push_back(hypothesis.ids.back());
      row += live;
    }
    cache.reorder(from);
    ids = std::move(next);
  }
  std::vector<std::vector<Decoded>> decoded;
  decoded.reserve(searches.size());
  for (const BeamSearch& search : searches) decoded.push_back(search.result());
  return decoded;
}

}  // namespace padless
