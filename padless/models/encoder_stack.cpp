#include "padless/models/encoder_stack.h"

#include <utility>

#include "padless/core/error.h"
#include "padless/layers/checks.h"
#include "padless/models/stack.h"

namespace padless {
namespace {

std::size_t blocks_of(const EncoderStackConfig& config) {
  return config.share_layers ? 1 : config.layers;
}

std::uint32_t op_of_block(std::uint32_t op, std::size_t layer) {
  return op + 1 + static_cast<std::uint32_t>(layer) * EncoderBlock::kOps;
}

}  // namespace

void EncoderStackConfig::check(const char* who) const {
  check_stack(*this, who);
  require_value(frozen_blocks <= layers, who, ": frozen_blocks is ", frozen_blocks,
                ", expected at most layers, ", layers);
  require_value(!share_layers || frozen_blocks == 0 || frozen_blocks == layers, who,
                ": frozen_blocks is ", frozen_blocks, " where all ", layers,
                " layers share their weights, expected 0 or all of them");
}

double EncoderStackConfig::parameters() const {
  return embedding_of(*this).parameters() +
         static_cast<double>(blocks_of(*this)) * EncoderBlock::parameters(block) +
         block.norm_parameters();
}

EncoderStack::EncoderStack(const EncoderStackConfig& config, const char* who, Rng& rng)
    : config_(checked(config, who)),
      who_(who),
      embedding_(embedding_of(config), rng),
      norm_(config.block.norm, config.block.width, config.block.epsilon) {
  const BlockConfig block = config.block.with_positions(config.positions, config.max_length);
  blocks_.reserve(blocks_of(config));
  for (std::size_t b = 0; b < blocks_of(config); ++b) blocks_.emplace_back(block, rng);
}

void EncoderStack::forward(Runtime& runtime, const Pass& pass, std::uint32_t op,
                           const Segments& segs, std::span<const std::int32_t> ids,
                           MatrixView<float> rows, Saved& saved) const {
  require_rows(who_, rows, segs, config_.block.width);
  Arena& arena = runtime.arena();
  const Arena::Mark before = arena.mark();
  const auto matrix = [&] { return arena.matrix(segs.total(), config_.block.width); };
  const bool keep = pass.training || saved.keep;
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
    // What a frozen block read and made inside is of no use to backward.
    const bool keeps = saved.keep || (keep && l >= config_.frozen_blocks);
    const bool last = l + 1 == config_.layers;
    MatrixView<float> out = rows;
    if (!last || norm_on_top()) out = spare.cols() > 0 ? spare : matrix();
    spare = keeps ? MatrixView<float>() : in;
    const Arena::Mark inside = arena.mark();
    block(l).forward(runtime, pass, op_of_block(op, l), in, segs, out, saved.blocks[l]);
    if (keeps) saved.inputs[l] = in;
    if (!keeps || config_.recompute) {
      saved.blocks[l] = {};
      arena.rewind(inside);
    }
    in = out;
  }
  if (norm_on_top()) {
    saved.top = in;
    norm_.forward(runtime, pass, in, rows, saved.norm);
  }
  if (keep) return;
  saved.words = saved.top = {};
  saved.norm = {};
  arena.rewind(before);
}

void EncoderStack::backward(Runtime& runtime, const Pass& pass, std::uint32_t op,
                            MatrixView<const float> d_rows, const Segments& segs,
                            std::span<const std::int32_t> ids, const Saved& saved) {
  if (config_.frozen_blocks == config_.layers && !norm_on_top()) return;
  Arena& arena = runtime.arena();
  const Arena::Scope scope(arena);
  const auto matrix = [&] { return arena.matrix(segs.total(), config_.block.width); };

  MatrixView<float> d_in = matrix(), spare = matrix();
  MatrixView<const float> d_out = d_rows;
  if (norm_on_top()) {
    norm_.backward(runtime, pass, d_rows, saved.top, saved.norm, d_in);
    d_out = d_in;
    std::swap(d_in, spare);
  }
  for (std::size_t l = config_.layers; l-- > config_.frozen_blocks;) {
    const bool wanted = l > config_.frozen_blocks || trains_embeddings();
    const MatrixView<float> d_x = wanted ? d_in : MatrixView<float>();
    const Arena::Scope inside(arena);
    const EncoderBlock::Saved* made = &saved.blocks[l];
    EncoderBlock::Saved again;
    if (config_.recompute) {
      block(l).forward(runtime, pass, op_of_block(op, l), saved.inputs[l], segs, matrix(), again);
      made = &again;
    }
    block(l).backward(runtime, pass, op_of_block(op, l), d_out, saved.inputs[l], segs, *made, d_x);
    d_out = d_in;
    std::swap(d_in, spare);
  }
  if (!trains_embeddings()) return;
  MatrixView<const float> d_words = d_out;
  if (!norm_on_top()) {
    norm_.backward(runtime, pass, d_out, saved.words, saved.norm, d_in);
    d_words = d_in;
  }
  embedding_.backward(runtime, pass, op, segs, ids, d_words);
}

void EncoderStack::attention_weights(Runtime& runtime, const Pass& pass, std::uint32_t op,
                                     const Segments& segs, std::size_t layer, const Saved& saved,
                                     std::span<float> weights) const {
  require_value(layer < config_.layers, who_, ": attention of layer ", layer,
                " is asked for, expected less than ", config_.layers);
  require_value(layer < saved.inputs.size() && saved.inputs[layer].cols() > 0, who_,
                ": the pass kept nothing of layer ", layer,
                ", expected one with Saved::keep set before");
  const Arena::Scope scope(runtime.arena());
  const EncoderBlock::Saved* made = &saved.blocks[layer];
  EncoderBlock::Saved again;
  if (config_.recompute) {
    block(layer).forward(runtime, pass, op_of_block(op, layer), saved.inputs[layer], segs,
                         runtime.arena().matrix(segs.total(), config_.block.width), again);
    made = &again;
  }
  block(layer).attention().attention_weights(runtime, pass, segs, segs, made->attention, weights);
}

}  // namespace padless
