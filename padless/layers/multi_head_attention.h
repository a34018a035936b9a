#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "padless/batch/attend.h"
#include "padless/batch/bias.h"
#include "padless/batch/mask.h"
#include "padless/batch/pass.h"
#include "padless/batch/segments.h"
#include "padless/core/export.h"
#include "padless/core/matrix.h"
#include "padless/core/parameter.h"
#include "padless/core/rng.h"
#include "padless/core/runtime.h"
#include "padless/layers/key_value_cache.h"
#include "padless/layers/linear.h"
#include "padless/ops/attention.h"
#include "padless/ops/rope.h"

namespace padless {

/// The numbers that make a multi-head attention.
struct PADLESS_API MultiHeadAttentionConfig {
  std::size_t width = 0;         ///< C: of the rows that ask, and of those that come out
  std::size_t source_width = 0;  ///< of the rows that are asked; 0: width
  std::size_t heads = 1;         ///< H
  std::size_t key_heads = 0;     ///< heads of keys and values, a divisor of heads; 0: heads
  std::size_t head_width = 0;    ///< D; 0: width / heads
  Attend attend = Attend::full();
  bool alibi = false;                              ///< scores fall with the distance
  std::shared_ptr<const RotaryTable> rotary = {};  ///< turns queries and keys; none: they stay
  float dropout = 0;                               ///< share of the weights that training drops

  /// Throws ValueError, naming the field, for sizes of 0, heads that do not divide, a dropout
  /// outside [0, kMostDropout], or a rotary table that is wider than a head.
  void check() const;
  /// D.
  std::size_t width_of_a_head() const {
    return head_width != 0 || heads == 0 ? head_width : width / heads;
  }
  /// G.
  std::size_t heads_of_keys() const { return key_heads != 0 ? key_heads : heads; }
  std::size_t width_of_sources() const { return source_width != 0 ? source_width : width; }
  /// How many numbers are learnt.
  double parameters() const;
};

/// The rows that an attention asks: S sequences, one for each that asks.
struct AttentionSources {
  const Pass& pass;
  MatrixView<const float> rows;  ///< [Tk, source_width]
  const Segments& segs;
};

/// Which keys of this batch are allowed or preferred, beside what the configuration says.
struct AttentionMask {
  const KeepMask* keep = nullptr;
  const Bias* bias = nullptr;
};

/// Attention of several heads with its projections: out = W_o attention(W_q x, W_k s, W_v s). The
/// sources s are x itself or other rows. Source: Vaswani et al., "Attention is all you need"
/// (NeurIPS 2017), section 3.2.2.
///
/// Queries, keys and values have a projection each, not one of all three: the three differ in size
/// where key heads are shared or sources are others, the files of other programs name them apart,
/// and a product costs the same in one piece or three.
class PADLESS_API MultiHeadAttention {
 public:
  /// What forward leaves for backward and for attention_weights, in the runtime's arena.
  struct Saved {
    MatrixView<float> q, k, v;   ///< [Tq, H * D], [Tk, G * D], [Tk, G * D], turned where asked
    MatrixView<float> attended;  ///< [Tq, H * D]
    AttentionStats stats;
  };

  /// Throws as MultiHeadAttentionConfig::check.
  MultiHeadAttention(const MultiHeadAttentionConfig& config, Rng& rng);

  const MultiHeadAttentionConfig& config() const { return config_; }
  /// Numbers in a row of keys, and of values: G * D.
  std::size_t key_cols() const { return key_.out(); }

  /// x [Tq, C] of `segs` asks `sources` -> out [Tq, C] (written). `op` is the number of its draws.
  /// Throws ShapeError when a shape or the number of sequences differs, or where `attend` or ALiBi
  /// wants an alignment (see attention_forward); ValueError for a sequence that is longer than the
  /// rotary table.
  void forward(Runtime& runtime, const Pass& pass, std::uint32_t op, MatrixView<const float> x,
               const Segments& segs, const AttentionSources& sources, MatrixView<float> out,
               Saved& saved, const AttentionMask& mask = {}) const;
  /// The same where x asks itself.
  void forward(Runtime& runtime, const Pass& pass, std::uint32_t op, MatrixView<const float> x,
               const Segments& segs, MatrixView<float> out, Saved& saved,
               const AttentionMask& mask = {}) const {
    forward(runtime, pass, op, x, segs, {pass, x, segs}, out, saved, mask);
  }

  /// d_out [Tq, C] -> d_x [Tq, C] and d_sources [Tk, source_width] (written, each or not where it
  /// has no columns); adds to the gradient of every parameter. The rest as in forward.
  void backward(Runtime& runtime, const Pass& pass, std::uint32_t op, MatrixView<const float> d_out,
                MatrixView<const float> x, const Segments& segs, const AttentionSources& sources,
                const Saved& saved, MatrixView<float> d_x, MatrixView<float> d_sources,
                const AttentionMask& mask = {});
  /// The same where x asks itself: d_x is the sum of both gradients.
  void backward(Runtime& runtime, const Pass& pass, std::uint32_t op, MatrixView<const float> d_out,
                MatrixView<const float> x, const Segments& segs, const Saved& saved,
                MatrixView<float> d_x, const AttentionMask& mask = {});

  /// The weights of a forward pass, as ops/attention.h orders them: sequence after sequence
  /// [H, Nq, Nk].
  void attention_weights(Runtime& runtime, const Pass& pass, const Segments& segs,
                         const Segments& source_segs, const Saved& saved, std::span<float> weights,
                         const AttentionMask& mask = {}) const;

  /// Inference piece by piece: x [T, C], each sequence's next rows, asks all rows of its own so
  /// far, whose keys and values `cache` holds; those of x are appended. The bits are those of
  /// forward over all rows at once where every row sees none behind it.
  ///
  /// Throws ShapeError when a shape or the number of sequences differs, or when `attend` has bounds
  /// or there is ALiBi, but no alignment for what has more keys than queries
  /// (Attend::causal(Align::bottom_right) has one); ValueError for a sequence that is longer than
  /// the rotary table. The cache is then as before.
  void extend(Runtime& runtime, const Pass& pass, MatrixView<const float> x, const Segments& segs,
              KeyValueCache& cache, MatrixView<float> out) const;

  /// The keys [Tk, G * D] and values [Tk, G * D] of sources (written), for ask(). Throws
  /// ShapeError, and ValueError for a sequence that is longer than the rotary table.
  void project(Runtime& runtime, const AttentionSources& sources, MatrixView<float> k,
               MatrixView<float> v) const;
  /// Inference over sources that were projected before: x [T, C] asks keys[b] and values[b] -> out
  /// [T, C] (written). Throws as forward.
  void ask(Runtime& runtime, const Pass& pass, MatrixView<const float> x, const Segments& segs,
           std::span<const MatrixView<const float>> keys,
           std::span<const MatrixView<const float>> values, MatrixView<float> out) const;

  /// An empty cache for `sequences` sequences, as extend() wants it.
  KeyValueCache cache(std::size_t sequences) const { return {sequences, key_.out(), value_.out()}; }

  /// Calls visit(name, parameter) for weight and bias of query, key, value and output.
  template <class Visit>
  void for_each_parameter(Visit&& visit) {
    query_.for_each_parameter(within("query", visit));
    key_.for_each_parameter(within("key", visit));
    value_.for_each_parameter(within("value", visit));
    output_.for_each_parameter(within("output", visit));
  }

 private:
  AttentionOptions options(std::uint32_t op, const AttentionMask& mask) const;
  /// k and v of sources, whose first rows have the places `first`.
  void project(Runtime& runtime, const AttentionSources& sources,
               std::span<const std::size_t> first, MatrixView<float> k, MatrixView<float> v) const;
  /// x [T, heads * D], turned by its rows' places, or turned back.
  void turn(Runtime& runtime, const Pass& pass, std::size_t heads, const Segments& segs,
            std::span<const std::size_t> first, MatrixView<float> x) const;
  void turn_back(Runtime& runtime, const Pass& pass, std::size_t heads, const Segments& segs,
                 MatrixView<float> d_x) const;
  /// What queries q get of these keys and values.
  void answer(Runtime& runtime, const Pass& pass, MatrixView<const float> q, const Segments& segs,
              std::span<const MatrixView<const float>> keys,
              std::span<const MatrixView<const float>> values, MatrixView<float> out) const;

  MultiHeadAttentionConfig config_;
  std::vector<float> slopes_;  // of ALiBi
  Linear query_, key_, value_, output_;
};

}  // namespace padless
