#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "padless/batch/attend.h"
#include "padless/batch/bias.h"
#include "padless/batch/mask.h"
#include "padless/batch/pass.h"
#include "padless/batch/segments.h"
#include "padless/core/export.h"
#include "padless/core/matrix.h"
#include "padless/core/runtime.h"

namespace padless {

/// A bias that is learnt for each distance between a query and a key, by T5's buckets.
/// Source: Raffel et al., "Exploring the limits of transfer learning" (JMLR 2020).
struct RelativeBias {
  T5Buckets buckets;
  /// [buckets.count, H]: of a bucket, for each head.
  MatrixView<const float> weights;
};

/// How the scores of an attention are made, and which of them there are.
///
/// The score of a query and a key of its sequence is, in this order: the dot product of key and
/// scale * query; + bias; + learned_bias; + the relative bias; - slope * distance (ALiBi);
/// cap * tanh(score / cap). What `attend` or `keep` drop is no score: it takes no part in maximum,
/// sum and output, whatever the key and the value hold.
struct AttentionOptions {
  std::size_t heads = 1;            ///< H, of the queries
  std::size_t key_heads = 0;        ///< heads of keys and values, a divisor of H; 0: H
  std::optional<float> scale = {};  ///< 1 / sqrt(D) without one
  float soft_cap = 0;               ///< 0: none
  Attend attend = Attend::full();   ///< which keys a query sees by its place
  const KeepMask* keep = nullptr;   ///< [B, H or 1, longest Nq or 1, longest Nk], by own rows
  const Bias* bias = nullptr;       ///< likewise
  MatrixView<const float> learned_bias = {};  ///< [H * L, S], L and S at least the longest
  std::optional<RelativeBias> relative = {};  ///< by distance
  std::span<const float> alibi_slopes = {};   ///< [H], see alibi_slopes(); or none
  float dropout = 0;                          ///< share of the weights that training drops
  std::uint32_t op = 0;  ///< number of this op in the model: part of each draw's key
};

/// What a forward pass leaves behind of the softmax: of each query and head the largest score and
/// the sum of exp(score - largest).
struct AttentionStats {
  MatrixView<float> top;  ///< [Tq, H]
  MatrixView<float> sum;  ///< [Tq, H]
};

/// Attention of several heads over ragged queries and keys (themselves or others'): out = softmax
/// of scores, inside the sequence, times values. Memory is linear in the rows: no matrix of queries
/// by keys is ever made. Source: Vaswani et al., "Attention is all you need" (NeurIPS 2017),
/// section 3.2.
///
/// A query without a key that it may see gives a zero row. Values may have no columns (E = 0): then
/// stats alone are written.
///
/// Shapes (B sequences; Tq, Tk rows; H heads, G key heads; D, E head widths of keys and values):
///   q      [Tq, H * D]  read
///   k      [Tk, G * D]  read
///   v      [Tk, G * E]  read
///   out    [Tq, H * E]  written
///   stats  [Tq, H]      written
///
/// Throws ShapeError
/// * when a shape differs from the above, G from options.key_heads or the counts of sequences;
/// * when keep, bias, learned_bias, relative.weights or alibi_slopes has not the shape that
///   AttentionOptions says;
/// * when a sequence has not as many keys as queries, and `attend` with bounds, a relative bias or
///   ALiBi has no alignment;
/// * where dropout drops: when pass.documents has not Tq rows, or not pass.document_numbers' count.
///
/// Throws ValueError
/// * unless heads is 1 to 65535, key_heads divides it (or is 0) and D >= 1 (or there is no query);
/// * unless scale is finite, soft_cap is 0 or above 0 with a finite inverse, and 0 <= dropout <=
///   kMostDropout;
/// * for relative.buckets that T5Buckets::bucket refuses;
/// * for a sequence of 2^30 - 1 queries or keys or more;
/// * where dropout drops: for a document with 2^32 rows or more, or a number of 2^48 or more.
///
/// `out` must not overlap the others.
PADLESS_API void attention_forward(Runtime& runtime, const Pass& pass,
                                   const AttentionOptions& options, MatrixView<const float> q,
                                   const Segments& queries, MatrixView<const float> k,
                                   MatrixView<const float> v, const Segments& keys,
                                   MatrixView<float> out, const AttentionStats& stats);

/// The same with each sequence's keys [Nk, G * D] and values [Nk, G * E] in a place of their own,
/// as a cache has them; the bits are the same.
PADLESS_API void attention_forward(Runtime& runtime, const Pass& pass,
                                   const AttentionOptions& options, MatrixView<const float> q,
                                   const Segments& queries,
                                   std::span<const MatrixView<const float>> k,
                                   std::span<const MatrixView<const float>> v,
                                   MatrixView<float> out, const AttentionStats& stats);

/// The place of sequence b's weights [H, Nq, Nk] among those of all, counted in floats, and behind
/// the last (b = B) their number.
///
/// Throws ShapeError when the counts of sequences differ, ValueError for b > B,
/// std::bad_array_new_length for more weights than an address reaches.
PADLESS_API std::size_t attention_weights_begin(const Segments& queries, const Segments& keys,
                                                std::size_t heads, std::size_t b);

/// The weights of a forward pass, before dropout: sequence after sequence [H, Nq, Nk], with 0 for
/// what is dropped. They are made from what the forward left and change nothing in it.
///
/// Shapes: q, k, stats as in attention_forward, read; weights
/// [attention_weights_begin(queries, keys, H, B)] written.
///
/// Throws as attention_forward and as attention_weights_begin.
PADLESS_API void attention_weights(Runtime& runtime, const Pass& pass,
                                   const AttentionOptions& options, MatrixView<const float> q,
                                   const Segments& queries, MatrixView<const float> k,
                                   const Segments& keys, const AttentionStats& stats,
                                   std::span<float> weights);

/// The same with each sequence's keys in a place of their own; weights are laid out likewise.
PADLESS_API void attention_weights(Runtime& runtime, const Pass& pass,
                                   const AttentionOptions& options, MatrixView<const float> q,
                                   const Segments& queries,
                                   std::span<const MatrixView<const float>> k,
                                   const AttentionStats& stats, std::span<float> weights);

/// log of the sum of exp(score): top + log(sum), -infinity for a query without a key.
///
/// Shapes: stats read, log_sum_exp [Tq, H] written. Throws ShapeError when they differ.
PADLESS_API void attention_log_sum_exp(Runtime& runtime, const AttentionStats& stats,
                                       MatrixView<float> log_sum_exp);

/// The gradients of an attention. What is not asked for is left empty.
struct AttentionGradients {
  MatrixView<float> d_q;                  ///< [Tq, H * D]  written
  MatrixView<float> d_k;                  ///< [Tk, G * D]  written
  MatrixView<float> d_v;                  ///< [Tk, G * E]  written
  MatrixView<float> d_learned_bias = {};  ///< [H * L, S]   added to; or empty
  MatrixView<float> d_relative = {};      ///< [buckets, H] added to; or empty
};

/// d_out [Tq, H * E] read; out and stats as attention_forward left them, read; the rest as there.
///
/// Gradients of biases are sums over the sequences of pass.shards, which here cut the rows of the
/// queries at whole sequences. That of a learned bias takes scratch of its own size for each
/// sequence; nothing else here is larger than linear in the rows.
///
/// Throws as attention_forward, and ShapeError when the shards do not cut Tq rows, cut within a
/// sequence, or d_relative is asked for without a relative bias.
PADLESS_API void attention_backward(Runtime& runtime, const Pass& pass,
                                    const AttentionOptions& options, MatrixView<const float> d_out,
                                    MatrixView<const float> q, const Segments& queries,
                                    MatrixView<const float> k, MatrixView<const float> v,
                                    const Segments& keys, MatrixView<const float> out,
                                    const AttentionStats& stats,
                                    const AttentionGradients& gradients);

}  // namespace padless
