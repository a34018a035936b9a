// How an attention over a batch is cut into items, and what each item is handed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "padless/batch/pass.h"
#include "padless/batch/segments.h"
#include "padless/core/attention_item.h"
#include "padless/core/matrix.h"
#include "padless/core/runtime.h"
#include "padless/ops/attention.h"

namespace padless {

/// One attention over a batch, checked: sizes, and where each sequence's rows are.
class AttentionItems {
 public:
  /// Keys and values of each sequence; slices of the runtime's arena or the caller's.
  using Views = std::span<const MatrixView<const float>>;

  /// Throws as attention_forward, naming `op`. Without values (weights alone are asked for) `v` is
  /// empty. All arguments have to outlive it.
  AttentionItems(std::string_view op, Runtime& runtime, const Pass& pass,
                 const AttentionOptions& options, MatrixView<const float> q,
                 const Segments& queries, Views k, Views v);

  std::size_t heads() const { return options_.heads; }
  std::size_t key_heads() const { return key_heads_; }
  std::size_t width() const { return width_; }
  std::size_t value_width() const { return value_width_; }
  /// The width of out; `any` where there is no sequence to tell it.
  std::size_t out_width(std::size_t any) const {
    return queries_.count() == 0 ? any : heads() * value_width_;
  }
  float scale() const { return scale_; }
  const Segments& queries() const { return queries_; }
  std::size_t keys(std::size_t b) const { return k_[b].rows(); }
  std::size_t longest_keys() const { return longest_keys_; }
  Attend::Bounds bounds(std::size_t b) const {
    return options_.attend.bounds(queries_.length(b), keys(b));
  }

  /// Runs of kQueriesAnItem queries of one sequence, the last perhaps shorter.
  struct Block {
    std::size_t b, first;
  };
  std::size_t blocks() const { return block_offsets_.back(); }
  Block block(std::size_t number) const;
  /// The blocks [begin, end) of sequence b.
  std::size_t blocks_begin(std::size_t b) const { return block_offsets_[b]; }
  /// The relative bias's bucket of a key at this distance from a query's place.
  std::size_t bucket(std::ptrdiff_t distance) const;

  /// What an item needs beside the rows: one for each worker, filled by `item`.
  struct Scratch {
    std::int32_t begin[kQueriesAnItem], end[kQueriesAnItem], place[kQueriesAnItem];
    std::span<std::uint8_t> keep;
    std::span<float> bias, dropped, factors;
  };
  /// A slice of the runtime's arena that is large enough for any item.
  Scratch scratch(Runtime& runtime) const;

  /// What the kernels ask for, [threads, ...].
  MatrixView<float> kernel_scratches(Runtime& runtime) const;

  /// The item of one block and head, without out, top and sum.
  AttentionItem<float> item(Runtime& runtime, Block block, std::size_t h, Scratch& scratch) const;

 private:
  bool drops() const { return pass_.training && threshold_ > 0; }
  bool adds() const;
  // Parts of the constructor: they throw as it does.
  void check_sequence(std::string_view op, std::size_t b);
  void check_masks(std::string_view op) const;
  void find_buckets(Runtime& runtime, const T5Buckets& buckets);
  void fill_bias(Block block, std::size_t h, std::size_t count, Scratch& scratch) const;
  void fill_dropped(Runtime& runtime, Block block, std::size_t h, std::size_t count,
                    Scratch& scratch) const;

  const Pass& pass_;
  const AttentionOptions& options_;
  MatrixView<const float> q_;
  const Segments& queries_;
  Views k_, v_;
  std::size_t key_heads_, width_ = 0, value_width_ = 0, longest_keys_ = 0;
  float scale_ = 1;
  std::uint32_t threshold_;
  std::span<std::size_t> block_offsets_;
  std::span<std::size_t> buckets_;     // by distance, from first_distance_ on
  std::ptrdiff_t first_distance_ = 0;  // -(longest queries + longest keys)
};

/// Throws ShapeError, naming `op`, unless both are [rows, heads] and lie alike.
void require_stats(std::string_view op, const AttentionStats& stats, std::size_t rows,
                   std::size_t heads);

/// Sets an item's top and sum, whose first query is row `row`.
void point_at_stats(AttentionItem<float>& item, const AttentionStats& stats, std::size_t row,
                    std::size_t h);

/// Each sequence's rows of `x`, in the runtime's arena.
std::span<const MatrixView<const float>> sequence_views(Runtime& runtime, MatrixView<const float> x,
                                                        const Segments& segs);

}  // namespace padless
