#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "padless/batch/pass.h"
#include "padless/batch/segments.h"
#include "padless/core/export.h"
#include "padless/core/matrix.h"
#include "padless/core/parameter.h"
#include "padless/core/rng.h"
#include "padless/core/runtime.h"
#include "padless/layers/block_config.h"
#include "padless/layers/encoder_block.h"
#include "padless/layers/norm.h"
#include "padless/layers/token_embedding.h"

namespace padless {

/// The numbers that make an encoder's stack of blocks.
struct PADLESS_API EncoderStackConfig {
  std::size_t vocabulary = 0;
  std::size_t layers = 2;  ///< L
  BlockConfig block;
  Positions positions = Positions::learned;
  std::size_t max_length = 512;   ///< of a sequence
  bool share_layers = false;      ///< all blocks have the weights of one
  std::size_t frozen_blocks = 0;  ///< the lowest, and the embeddings below them
  bool frozen_embeddings = false;
  bool recompute = false;  ///< backward makes anew what is inside a block: less memory, same bits

  /// Throws ValueError, naming `who` and the field.
  void check(const char* who) const;
  /// How many numbers are learnt (a double: sizes of any file are asked).
  double parameters() const;
};

/// Words to rows: embedding, then L encoder blocks. With the blocks' norms in front there is one
/// more norm on top, with the norms behind one on the embedding.
class PADLESS_API EncoderStack {
 public:
  /// What forward leaves, in the runtime's arena: with pass.training, or with keep set before, all
  /// that backward and attention_weights read; else nothing.
  struct Saved {
    bool keep = false;
    MatrixView<float> words;  ///< [T, C]: the embedding, where a norm read it
    Norm::Saved norm;
    std::vector<MatrixView<float>> inputs;    ///< [T, C] of each block from the lowest trained on
    std::vector<EncoderBlock::Saved> blocks;  ///< likewise; none with recompute
    MatrixView<float> top;                    ///< [T, C]: of the last block, where a norm read it
  };

  /// Numbers of draws from `op` on: the embedding's, then those of each block.
  static std::uint32_t ops(const EncoderStackConfig& config) {
    return 1 + static_cast<std::uint32_t>(config.layers) * EncoderBlock::kOps;
  }

  /// `who` names the model in errors and has to outlive it. Throws as EncoderStackConfig::check.
  EncoderStack(const EncoderStackConfig& config, const char* who, Rng& rng);

  const EncoderStackConfig& config() const { return config_; }

  /// ids [T] -> rows [T, C] (written). Throws ValueError for an id that is no word of the
  /// vocabulary and for a sequence longer than max_length, ShapeError.
  void forward(Runtime& runtime, const Pass& pass, std::uint32_t op, const Segments& segs,
               std::span<const std::int32_t> ids, MatrixView<float> rows, Saved& saved) const;
  /// d_rows [T, C], the rest as in forward; adds to the gradient of every parameter that is not
  /// frozen, and does nothing below those.
  void backward(Runtime& runtime, const Pass& pass, std::uint32_t op,
                MatrixView<const float> d_rows, const Segments& segs,
                std::span<const std::int32_t> ids, const Saved& saved);

  /// The weights of block `layer`'s attention, as ops/attention.h orders them. Throws ValueError
  /// for a layer that is not there or of which forward kept nothing.
  void attention_weights(Runtime& runtime, const Pass& pass, std::uint32_t op, const Segments& segs,
                         std::size_t layer, const Saved& saved, std::span<float> weights) const;

  /// Calls visit(name, parameter) for embedding, blocks by their number (or "shared") and norm.
  template <class Visit>
  void for_each_parameter(Visit&& visit) {
    visit_all(visit, false);
  }
  /// The same without the frozen ones.
  template <class Visit>
  void for_each_trained_parameter(Visit&& visit) {
    visit_all(visit, true);
  }

 private:
  template <class Visit>
  void visit_all(Visit& visit, bool trained) {
    const bool words = !trained || trains_embeddings();
    if (words) embedding_.for_each_parameter(within("embedding", visit));
    if (words && !norm_on_top()) norm_.for_each_parameter(within("norm", visit));
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      if (trained && b < config_.frozen_blocks) continue;
      blocks_[b].for_each_parameter(
          within(config_.share_layers ? "blocks.shared" : "blocks." + std::to_string(b), visit));
    }
    if (norm_on_top()) norm_.for_each_parameter(within("norm", visit));
  }

  bool norm_on_top() const { return config_.block.norm_place == NormPlace::pre; }
  bool trains_embeddings() const {
    return config_.frozen_blocks == 0 && !config_.frozen_embeddings;
  }
  const EncoderBlock& block(std::size_t layer) const {
    return blocks_[config_.share_layers ? 0 : layer];
  }
  EncoderBlock& block(std::size_t layer) { return blocks_[config_.share_layers ? 0 : layer]; }

  EncoderStackConfig config_;
  const char* who_;
  TokenEmbedding embedding_;
  std::vector<EncoderBlock> blocks_;
  Norm norm_;
};

}  // namespace padless
