#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "padless/batch/pair_pass.h"
#include "padless/batch/segments.h"
#include "padless/core/activation.h"
#include "padless/core/export.h"
#include "padless/core/matrix.h"
#include "padless/core/parameter.h"
#include "padless/core/rng.h"
#include "padless/core/runtime.h"
#include "padless/layers/linear.h"
#include "padless/models/beam_search.h"
#include "padless/models/decoder_stack.h"
#include "padless/models/encoder_stack.h"

namespace padless {

/// The numbers that make a Transformer from sequences to sequences.
struct PADLESS_API TransformerSeq2SeqConfig {
  std::size_t source_vocabulary = 0;  ///< ids of sources are below
  std::size_t target_vocabulary = 0;  ///< V: ids of targets are below, begin and end among them
  std::int32_t begin = 0;             ///< the id that the decoder reads first
  std::int32_t end = 1;               ///< the id that it writes last
  std::size_t width = 64;             ///< C
  std::size_t encoder_layers = 2;
  std::size_t decoder_layers = 2;
  std::size_t heads = 4;           ///< H, a divisor of width
  std::size_t key_heads = 0;       ///< heads of keys and values, a divisor of heads; 0: heads
  std::size_t head_width = 0;      ///< D; 0: width / heads
  std::size_t feed_forward = 256;  ///< F
  Activation activation = Activation::gelu;
  bool gated = false;
  NormKind norm = NormKind::layer;
  NormPlace norm_place = NormPlace::pre;
  Positions positions = Positions::learned;
  std::size_t max_length = 512;  ///< of a source, and of a target with its begin
  float dropout = 0.1f;

  /// Throws ValueError, naming the field.
  void check() const;
  /// How many numbers a model of these sizes learns (a double: sizes of any file are asked).
  double parameters() const;
  /// What it says of either side's blocks.
  EncoderStackConfig encoder() const;
  DecoderStackConfig decoder() const;
};

/// What a decoder reads and has to say when it is told each word's predecessors ("teacher
/// forcing"): of a target (a, b) it reads (begin, a, b) and says (a, b, end).
struct PADLESS_API ShiftedTargets {
  Segments segs;                          ///< one row more than a target has
  std::vector<std::int32_t> ids, labels;  ///< of each row: what is read, and what is to be said

  /// ids [total of targets]. Throws ShapeError.
  static ShiftedTargets of(const Segments& targets, std::span<const std::int32_t> ids,
                           std::int32_t begin, std::int32_t end);
};

/// Transformer encoder-decoder: source words -> encoder blocks; target words so far -> decoder
/// blocks, which ask the encoder's rows -> scores of the next word. Source: Vaswani et al.,
/// "Attention is all you need" (NeurIPS 2017), section 3.
class PADLESS_API TransformerSeq2Seq {
 public:
  using Config = TransformerSeq2SeqConfig;

  /// What forward leaves for backward, in the runtime's arena.
  struct Saved {
    EncoderStack::Saved encoder;
    DecoderStack::Saved decoder;
    MatrixView<float> sources;  ///< [Ts, C]: the encoder's rows
    MatrixView<float> rows;     ///< [T, C]: the decoder's
  };

  /// Throws as TransformerSeq2SeqConfig::check.
  TransformerSeq2Seq(const TransformerSeq2SeqConfig& config, Rng& rng);

  const TransformerSeq2SeqConfig& config() const { return config_; }

  /// source_ids [Ts] of the pass's sources, ids [T] of its targets, shifted -> out [T, V]
  /// (written): scores of each row's next word. Throws ValueError for an id that is no word of its
  /// vocabulary and for a sequence longer than max_length, ShapeError.
  void forward(Runtime& runtime, const PairPass& pass, std::span<const std::int32_t> source_ids,
               std::span<const std::int32_t> ids, MatrixView<float> out, Saved& saved) const;
  /// d_out [T, V], the rest as in forward; adds to the gradient of every parameter.
  void backward(Runtime& runtime, const PairPass& pass, MatrixView<const float> d_out,
                std::span<const std::int32_t> source_ids, std::span<const std::int32_t> ids,
                const Saved& saved);

  /// Reads the sources and remembers them: the start of writing step by step. Throws as forward.
  DecoderCache start(Runtime& runtime, const Segments& sources,
                     std::span<const std::int32_t> source_ids) const;
  /// ids [T] of each sequence's next words -> out [T, V] (written): the bits of forward, by work
  /// for the new words alone. Throws as forward, and ShapeError for a cache of another model or of
  /// another number of sequences; the cache is then as before.
  void extend(Runtime& runtime, const Segments& segs, std::span<const std::int32_t> ids,
              DecoderCache& cache, MatrixView<float> out) const;

  /// Writes a target for each source: of each at most `beams` hypotheses, best first. A source's
  /// does not depend on the others. Throws as forward and as DecodingOptions::check.
  std::vector<std::vector<Decoded>> decode(Runtime& runtime, const Segments& sources,
                                           std::span<const std::int32_t> source_ids,
                                           const DecodingOptions& options = {}) const;

  /// Calls visit(name, parameter) for every parameter, always in the same order.
  template <class Visit>
  void for_each_parameter(Visit&& visit) {
    encoder_.for_each_parameter(within("encoder", visit));
    decoder_.for_each_parameter(within("decoder", visit));
    head_.for_each_parameter(within("head", visit));
  }

 private:
  TransformerSeq2SeqConfig config_;
  EncoderStack encoder_;
  DecoderStack decoder_;
  Linear head_;
};

}  // namespace padless
