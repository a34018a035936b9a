// What the stacks of encoder blocks and of decoder blocks have in common.
#pragma once

#include <cstddef>

#include "padless/batch/segments.h"
#include "padless/core/error.h"
#include "padless/core/matrix.h"
#include "padless/layers/block_config.h"
#include "padless/layers/checks.h"
#include "padless/layers/token_embedding.h"

namespace padless {

/// A stack's blocks, by the numbers of a model that has one.
template <class ModelConfig>
BlockConfig block_of(const ModelConfig& config) {
  return {.width = config.width,
          .heads = config.heads,
          .key_heads = config.key_heads,
          .head_width = config.head_width,
          .feed_forward = config.feed_forward,
          .activation = config.activation,
          .gated = config.gated,
          .norm = config.norm,
          .norm_place = config.norm_place,
          .dropout = config.dropout};
}

/// The embedding below a stack's blocks.
template <class StackConfig>
TokenEmbeddingConfig embedding_of(const StackConfig& config) {
  return {.vocabulary = config.vocabulary,
          .width = config.block.width,
          .positions = config.positions,
          .max_length = config.max_length,
          .dropout = config.block.dropout};
}

/// Throws ValueError, naming `who` and the field, for sizes that make no stack.
template <class StackConfig>
void check_stack(const StackConfig& config, const char* who) {
  require_size(who, "vocabulary", config.vocabulary, kMostWords);
  require_size(who, "layers", config.layers, 1024);
  require_size(who, "max_length", config.max_length, std::size_t{1} << 24);
  config.block.check();
  config.block.check_positions(who, config.positions, config.max_length);
  require_parameters(who, config.parameters());
}

/// Throws ShapeError, naming `who`, unless rows is [T, width].
inline void require_rows(const char* who, MatrixView<const float> rows, const Segments& segs,
                         std::size_t width) {
  require_shape(rows.rows() == segs.total() && rows.cols() == width, who, ": rows is [",
                rows.rows(), ", ", rows.cols(), "], expected [", segs.total(), ", ", width, "]");
}

}  // namespace padless
