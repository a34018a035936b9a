// Attention's backward: one item a key head of a sequence, because the gradient of a key is one
// chain over all queries of its group of heads.

#include <algorithm>
#include <span>
#include <string_view>

#include "padless/core/error.h"
#include "padless/kernels/dispatch.h"
#include "padless/ops/attention.h"
#include "padless/ops/attention_items.h"
#include "padless/ops/checks.h"

namespace padless {
namespace {

constexpr std::string_view kOp = "attention_backward";

/// Where the pass's shards, which cut rows of queries, cut the sequences: numbers of sequences.
std::span<const std::size_t> sequence_bounds(Runtime& runtime, const Pass& pass,
                                             const Segments& queries) {
  const PassShards shards = shards_of(kOp, pass, queries.total());
  const auto bounds = runtime.arena().take<std::size_t>(shards.count() + 1);
  for (std::size_t s = 0; s < bounds.size(); ++s) {
    const std::size_t row = shards.bounds()[s];
    const auto at = std::ranges::lower_bound(queries.offsets(), row);
    require_shape(at != queries.offsets().end() && *at == row, kOp,
                  ": the pass's shards cut a sequence at row ", row,
                  ", expected cuts between sequences");
    bounds[s] = static_cast<std::size_t>(at - queries.offsets().begin());
  }
  bounds.back() = queries.count();
  return bounds;
}

class Backward {
 public:
  Backward(Runtime& runtime, const Pass& pass, const AttentionOptions& options,
           const AttentionItems& items, const Segments& keys, MatrixView<const float> d_out,
           MatrixView<const float> out, const AttentionStats& stats,
           const AttentionGradients& gradients)
      : options_(options),
        items_(items),
        keys_(keys),
        d_out_(d_out),
        out_(out),
        stats_(stats),
        gradients_(gradients),
        bounds_(sequence_bounds(runtime, pass, items.queries())),
        learned_(parts(runtime, gradients.d_learned_bias)),
        related_(parts(runtime, gradients.d_relative)),
        kernel_scratches_(items.kernel_scratches(runtime)),
        item_scratches_(runtime.arena().take<AttentionItems::Scratch>(runtime.threads())),
        d_scores_(runtime.arena().matrix(
            runtime.threads(), has_biases() ? items.longest_keys() * kQueriesAnItem : 0)) {
    for (auto& scratch : item_scratches_) scratch = items.scratch(runtime);
  }

  /// One key head of one sequence; tells whether something of it is NaN.
  bool run(Runtime& runtime, Isa isa, std::size_t b, std::size_t key_head, std::size_t worker) {
    const kernels::Table& table = kernels::table(isa);
    const auto of_head = [&](MatrixView<float> all, std::size_t width) {
      return all.rows_at(keys_[b].begin, keys_.length(b)).cols_at(key_head * width, width);
    };
    const MatrixView<float> d_k = of_head(gradients_.d_k, items_.width());
    const MatrixView<float> d_v = of_head(gradients_.d_v, items_.value_width());
    fill(d_k, 0.0f);
    fill(d_v, 0.0f);
    bool nan = false;
    const std::size_t group = items_.heads() / items_.key_heads();
    for (std::size_t h = key_head * group; h < (key_head + 1) * group; ++h) {
      for (std::size_t bucket = 0; bucket < gradients_.d_relative.rows(); ++bucket) {
        related_(b, bucket * items_.heads() + h) = 0;
      }
      for (std::size_t n = items_.blocks_begin(b); n < items_.blocks_begin(b + 1); ++n) {
        const AttentionItems::Block block = items_.block(n);
        AttentionItem<float> item = items_.item(runtime, block, h, item_scratches_[worker]);
        const std::size_t row = items_.queries()[b].begin + block.first;
        point_at_stats(item, stats_, row, h);
        const AttentionItemGradient<float> to{
            .out = out_.row(row).data() + h * items_.value_width(),
            .out_stride = out_.stride(),
            .d_out = d_out_.row(row).data() + h * items_.value_width(),
            .d_out_stride = d_out_.stride(),
            .d_q = gradients_.d_q.row(row).data() + h * items_.width(),
            .d_k = d_k.data(),
            .d_v = d_v.data(),
            .d_q_stride = gradients_.d_q.stride(),
            .d_k_stride = d_k.stride(),
            .d_v_stride = d_v.stride(),
            .d_scores = has_biases() ? d_scores_.row(worker).data() : nullptr};
        nan |= table.attention_backward(item, to, kernel_scratches_.row(worker).data());
        if (has_biases()) add_to_biases(block, h, item, to.d_scores);
      }
    }
    nan |= table.attention_finish(d_k.data(), d_k.stride(), d_k.rows(), d_k.cols(), items_.scale());
    nan |= table.attention_finish(d_v.data(), d_v.stride(), d_v.rows(), d_v.cols(), 1);
    return nan;
  }

  /// Adds the sequences' parts to the gradients of the biases: chains in shards, shards in a tree.
  void add_biases(Runtime& runtime) {
    add_parts(runtime, learned_, gradients_.d_learned_bias);
    add_parts(runtime, related_, gradients_.d_relative);
  }

 private:
  bool has_biases() const {
    return gradients_.d_learned_bias.rows() > 0 || gradients_.d_relative.rows() > 0;
  }

  // A row for each sequence: what its scores' gradients add to a bias.
  MatrixView<float> parts(Runtime& runtime, MatrixView<float> total) const {
    const std::size_t cells = checked_product(total.rows(), total.cols());
    const std::size_t sequences = cells == 0 ? 0 : items_.queries().count();
    const MatrixView<float> parts = runtime.arena().matrix(sequences, cells);
    fill(parts, 0.0f);
    return parts;
  }

  void add_to_biases(AttentionItems::Block block, std::size_t h, const AttentionItem<float>& item,
                     const float* d_scores) {
    const Attend::Bounds bounds = items_.bounds(block.b);
    const bool learns = gradients_.d_learned_bias.rows() > 0;
    const bool relates = gradients_.d_relative.rows() > 0;
    for (std::size_t i = 0; i < item.queries; ++i) {
      const std::size_t query = block.first + i;
      const std::size_t learned_row = h * (options_.learned_bias.rows() / items_.heads()) + query;
      for (std::size_t j = 0; j < item.keys; ++j) {
        const float d_score = d_scores[j * kQueriesAnItem + i];
        if (learns) learned_(block.b, learned_row * options_.learned_bias.cols() + j) = d_score;
        if (relates) {
          const auto distance = static_cast<std::ptrdiff_t>(j) - bounds.place(query);
          float& cell = related_(block.b, items_.bucket(distance) * items_.heads() + h);
          cell = cell + d_score;
        }
      }
    }
  }

  void add_parts(Runtime& runtime, MatrixView<float> sequences, MatrixView<float> total) {
    if (sequences.rows() == 0) return;
    const auto kernel = kernels::table(runtime.isa()).sum_rows;
    runtime.parallel_for(total.rows(), [&](std::size_t r) {
      kernel(sequences.data() + r * total.cols(), sequences.stride(), bounds_.data(),
             bounds_.size() - 1, total.cols(), total.row(r).data());
    });
  }

  const AttentionOptions& options_;
  const AttentionItems& items_;
  const Segments& keys_;
  MatrixView<const float> d_out_, out_;
  const AttentionStats& stats_;
  const AttentionGradients& gradients_;
  std::span<const std::size_t> bounds_;
  MatrixView<float> learned_, related_;  // [B, cells of the bias]
  MatrixView<float> kernel_scratches_;
  std::span<AttentionItems::Scratch> item_scratches_;
  MatrixView<float> d_scores_;
};

}  // namespace

void attention_backward(Runtime& runtime, const Pass& pass, const AttentionOptions& options,
                        MatrixView<const float> d_out, MatrixView<const float> q,
                        const Segments& queries, MatrixView<const float> k,
                        MatrixView<const float> v, const Segments& keys,
                        MatrixView<const float> out, const AttentionStats& stats,
                        const AttentionGradients& gradients) {
  require_matrix(kOp, "k", k, keys.total(), k.cols());
  require_matrix(kOp, "v", v, keys.total(), v.cols());
  const Arena::Scope scope(runtime.arena());
  const AttentionItems items(kOp, runtime, pass, options, q, queries,
                             sequence_views(runtime, k, keys), sequence_views(runtime, v, keys));
  require_matrix(kOp, "out", out, queries.total(), items.out_width(out.cols()));
  require_matrix(kOp, "d_out", d_out, queries.total(), out.cols());
  require_stats(kOp, stats, queries.total(), items.heads());
  require_matrix(kOp, "d_q", gradients.d_q, q.rows(), q.cols());
  require_matrix(kOp, "d_k", gradients.d_k, k.rows(), k.cols());
  require_matrix(kOp, "d_v", gradients.d_v, v.rows(), v.cols());
  if (gradients.d_learned_bias.rows() > 0) {
    require_matrix(kOp, "d_learned_bias", gradients.d_learned_bias, options.learned_bias.rows(),
                   options.learned_bias.cols());
  }
  if (gradients.d_relative.rows() > 0) {
    require_shape(options.relative.has_value(), kOp,
                  ": d_relative is given, expected none without a relative bias");
    // Of the shape that the weights were checked for.
    require_matrix(kOp, "d_relative", gradients.d_relative,
                   options.relative ? options.relative->weights.rows() : 0, items.heads());
  }
  Backward backward(runtime, pass, options, items, keys, d_out, out, stats, gradients);
  runtime.parallel_for(
      queries.count() * items.key_heads(), [&](std::size_t number, std::size_t worker) {
        const std::size_t b = number / items.key_heads(), key_head = number % items.key_heads();
        if (backward.run(runtime, runtime.isa(), b, key_head, worker)) {
          backward.run(runtime, Isa::scalar, b, key_head, worker);
        }
      });
  backward.add_biases(runtime);
}

}  // namespace padless
