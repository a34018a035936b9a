#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
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
#include "padless/layers/decoder_block.h"
#include "padless/layers/key_value_cache.h"
#include "padless/layers/norm.h"
#include "padless/layers/token_embedding.h"

namespace padless {

/// The numbers that make a decoder's stack of blocks.
struct PADLESS_API DecoderStackConfig {
  std::size_t vocabulary = 0;
  std::size_t layers = 2;  ///< L
  BlockConfig block;
  Positions positions = Positions::learned;
  std::size_t max_length = 512;  ///< of a sequence

  /// Throws ValueError, naming `who` and the field.
  void check(const char* who) const;
  /// How many numbers are learnt (a double: sizes of any file are asked).
  double parameters() const;
};

/// What a decoder has to remember of B sequences that it continues: the keys and values of the
/// sources, and of each sequence's rows so far, in every layer.
class PADLESS_API DecoderCache {
 public:
  /// Of no sequence; DecoderStack::start makes one.
  DecoderCache() = default;
  /// A copy looks at rows of its own.
  DecoderCache(const DecoderCache& other);
  DecoderCache(DecoderCache&&) = default;
  DecoderCache& operator=(const DecoderCache& other) { return *this = DecoderCache(other); }
  DecoderCache& operator=(DecoderCache&&) = default;
  ~DecoderCache() = default;

  /// B.
  std::size_t count() const { return source_of_.size(); }
  /// Rows of sequence b.
  std::size_t length(std::size_t b) const { return layers_.front().cache.length(b); }
  /// Sequence i becomes what from[i] was, its source with it; see KeyValueCache::reorder.
  void reorder(std::span<const std::size_t> from);
  /// Forgets each sequence's rows from lengths[b] on; throws as KeyValueCache::shorten.
  void shorten(std::span<const std::size_t> lengths);

 private:
  friend class DecoderStack;
  struct Layer {
    KeyValueCache cache;
    Matrix<float> keys, values;                                       // of the sources
    std::vector<MatrixView<const float>> source_keys, source_values;  // of each sequence
  };

  void look();

  Segments sources_;
  std::vector<std::size_t> source_of_;
  std::vector<Layer> layers_;
};

/// Words to rows that see the words before them and the sources: embedding, then L decoder blocks.
/// With the blocks' norms in front there is one more norm on top, with the norms behind one on the
/// embedding.
class PADLESS_API DecoderStack {
 public:
  /// What forward leaves for backward, in the runtime's arena: nothing without pass.training.
  struct Saved {
    MatrixView<float> words;  ///< [T, C]: the embedding, where a norm read it
    Norm::Saved norm;
    std::vector<MatrixView<float>> inputs;  ///< [T, C] of each block
    std::vector<DecoderBlock::Saved> blocks;
    MatrixView<float> top;  ///< [T, C]: of the last block, where a norm read it
  };

  /// `who` names the model in errors and has to outlive it. Throws as DecoderStackConfig::check.
  DecoderStack(const DecoderStackConfig& config, const char* who, Rng& rng);

  const DecoderStackConfig& config() const { return config_; }

  /// ids [T], sources [Ts, C] -> rows [T, C] (written); row t depends on the ids up to t alone.
  /// `op` is the first number of its draws. Throws ValueError for an id that is no word of the
  /// vocabulary and for a sequence longer than max_length, ShapeError.
  void forward(Runtime& runtime, const Pass& pass, std::uint32_t op, const Segments& segs,
               std::span<const std::int32_t> ids, const AttentionSources& sources,
               MatrixView<float> rows, Saved& saved) const;
  /// d_rows [T, C] -> d_sources [Ts, C] (written); the rest as in forward. Adds to the gradient of
  /// every parameter.
  void backward(Runtime& runtime, const Pass& pass, std::uint32_t op,
                MatrixView<const float> d_rows, const Segments& segs,
                std::span<const std::int32_t> ids, const AttentionSources& sources,
                const Saved& saved, MatrixView<float> d_sources);

  /// One empty sequence for each source.
  DecoderCache start(Runtime& runtime, const AttentionSources& sources) const;
  /// ids [T] of each sequence's next words -> rows [T, C] (written), and the cache has them. The
  /// bits are those of forward. Throws as forward, and ShapeError for a cache of another model or
  /// of another number of sequences; the cache is then as before.
  void extend(Runtime& runtime, const Segments& segs, std::span<const std::int32_t> ids,
              DecoderCache& cache, MatrixView<float> rows) const;

  /// Calls visit(name, parameter) for embedding, blocks by their number and norm.
  template <class Visit>
  void for_each_parameter(Visit&& visit) {
    embedding_.for_each_parameter(within("embedding", visit));
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      blocks_[b].for_each_parameter(within("blocks." + std::to_string(b), visit));
    }
    norm_.for_each_parameter(within("norm", visit));
  }

 private:
  bool norm_on_top() const { return config_.block.norm_place == NormPlace::pre; }

  DecoderStackConfig config_;
  const char* who_;
  TokenEmbedding embedding_;
  std::vector<DecoderBlock> blocks_;
  Norm norm_;
};

}  // namespace padless
