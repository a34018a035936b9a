// The stacks of a Transformer put together from the definitions of its blocks: see
// reference_layers.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "padless/batch/attend.h"
#include "padless/batch/pass.h"
#include "padless/batch/segments.h"
#include "padless/core/matrix.h"
#include "padless/layers/block_config.h"
#include "padless/layers/decoder_block.h"
#include "padless/layers/encoder_block.h"
#include "padless/testing/reference_layers.h"

namespace padless::testing {

/// Embedding, blocks and a norm, on top or, with the blocks' norms behind, on the embedding: a
/// stack of models/, whose config is `Config`. make(layer, block config, op) makes a block.
template <class Real, class Block>
struct ReferenceStack {
  ReferenceTokenEmbedding<Real> embedding;
  std::vector<Block> blocks;
  ReferenceNorm<Real> norm;
  bool norm_on_top;

  template <class Config, class Make>
  ReferenceStack(const NamedParameters<Real>& all, const std::string& prefix, const Config& config,
                 std::uint32_t op, std::uint32_t ops_a_block, Make make)
      : embedding{all, prefix + "embedding.", config.positions, config.block.dropout, op},
        norm{all, prefix + "norm", config.block.norm, Real(config.block.epsilon), {}, {}, {}},
        norm_on_top(config.block.norm_place == NormPlace::pre) {
    const BlockConfig block = config.block.with_positions(config.positions, config.max_length);
    blocks.reserve(config.layers);
    for (std::size_t l = 0; l < config.layers; ++l) {
      blocks.push_back(make(l, block, op + 1 + static_cast<std::uint32_t>(l) * ops_a_block));
    }
  }

  /// through(block, rows) is what the block makes of the rows.
  template <class Through>
  Matrix<Real> forward(const Pass& pass, const Segments& segs, std::span<const std::int32_t> ids,
                       Through through) {
    Matrix<Real> rows = embedding.forward(pass, segs, ids);
    if (!norm_on_top) rows = norm.forward(rows);
    for (Block& block : blocks) rows = through(block, rows);
    return norm_on_top ? norm.forward(rows) : rows;
  }
  /// through(block, d_out) is the gradient of the block's rows.
  template <class Through>
  void backward(const Pass& pass, const Segments& segs, std::span<const std::int32_t> ids,
                const Matrix<Real>& d_rows, Through through) {
    Matrix<Real> d = norm_on_top ? norm.backward(pass, d_rows) : d_rows;
    for (std::size_t l = blocks.size(); l-- > 0;) d = through(blocks[l], d);
    embedding.backward(pass, segs, ids, norm_on_top ? d : norm.backward(pass, d));
  }
};

template <class Real>
struct ReferenceEncoderStack : ReferenceStack<Real, ReferenceEncoderBlock<Real>> {
  using Block = ReferenceEncoderBlock<Real>;

  template <class Config>
  ReferenceEncoderStack(const NamedParameters<Real>& all, const std::string& prefix,
                        const Config& config, std::uint32_t op)
      : ReferenceStack<Real, Block>(
            all, prefix, config, op, EncoderBlock::kOps,
            [&](std::size_t layer, const BlockConfig& block, std::uint32_t block_op) {
              const std::string name = config.share_layers ? "shared" : std::to_string(layer);
              return Block(all, prefix + "blocks." + name + ".", block, block_op);
            }) {}

  Matrix<Real> forward(const Pass& pass, const Segments& segs, std::span<const std::int32_t> ids) {
    return ReferenceStack<Real, Block>::forward(
        pass, segs, ids,
        [&](Block& block, const Matrix<Real>& x) { return block.forward(pass, x, segs); });
  }
  void backward(const Pass& pass, const Segments& segs, std::span<const std::int32_t> ids,
                const Matrix<Real>& d_rows) {
    ReferenceStack<Real, Block>::backward(
        pass, segs, ids, d_rows,
        [&](Block& block, const Matrix<Real>& d) { return block.backward(pass, d, segs); });
  }
};

/// Its blocks ask `sources`, whose gradient backward gives.
template <class Real>
struct ReferenceDecoderStack : ReferenceStack<Real, ReferenceDecoderBlock<Real>> {
  using Block = ReferenceDecoderBlock<Real>;

  template <class Config>
  ReferenceDecoderStack(const NamedParameters<Real>& all, const std::string& prefix,
                        const Config& config, std::uint32_t op)
      : ReferenceStack<Real, Block>(
            all, prefix, config, op, DecoderBlock::kOps,
            [&](std::size_t layer, const BlockConfig& block, std::uint32_t block_op) {
              return Block(all, prefix + "blocks." + std::to_string(layer) + ".", block,
                           Attend::causal(Align::bottom_right), block_op);
            }) {}

  Matrix<Real> forward(const Pass& pass, const Segments& segs, std::span<const std::int32_t> ids,
                       const Matrix<Real>& sources, const Segments& source_segs) {
    return ReferenceStack<Real, Block>::forward(
        pass, segs, ids, [&](Block& block, const Matrix<Real>& x) {
          return block.forward(pass, x, segs, sources, source_segs);
        });
  }
  Matrix<Real> backward(const Pass& pass, const Pass& source_pass, const Segments& segs,
                        std::span<const std::int32_t> ids, const Matrix<Real>& d_rows,
                        const Segments& source_segs) {
    Matrix<Real> d_sources;
    ReferenceStack<Real, Block>::backward(
        pass, segs, ids, d_rows, [&](Block& block, const Matrix<Real>& d) {
          auto [d_x, d_asked] = block.backward(pass, source_pass, d, segs, source_segs);
          if (d_sources.cols() > 0) add(d_sources, d_asked);
          d_sources = std::move(d_asked);
          return std::move(d_x);
        });
    return d_sources;
  }
};

}  // namespace padless::testing
