#include "padless/ops/attention.h"

#include <string_view>

#include "padless/core/error.h"
#include "padless/core/matrix.h"
#include "padless/kernels/dispatch.h"
#include "padless/ops/attention_items.h"
#include "padless/ops/checks.h"
#include "padless/ops/row_items.h"

namespace padless {
namespace {

/// Calls work(worker, block, h, item) for each block of queries and head, on any thread.
template <class Work>
void for_each_item(Runtime& runtime, const AttentionItems& items, Work work) {
  const auto scratches = runtime.arena().take<AttentionItems::Scratch>(runtime.threads());
  for (auto& scratch : scratches) scratch = items.scratch(runtime);
  runtime.parallel_for(items.blocks() * items.heads(), [&](std::size_t number, std::size_t worker) {
    const AttentionItems::Block block = items.block(number / items.heads());
    const std::size_t h = number % items.heads();
    AttentionItem<float> item = items.item(runtime, block, h, scratches[worker]);
    work(worker, block, h, item);
  });
}

void forward(std::string_view op, Runtime& runtime, const AttentionItems& items,
             MatrixView<float> out, const AttentionStats& stats) {
  const std::size_t rows = items.queries().total();
  require_matrix(op, "out", out, rows, items.out_width(out.cols()));
  require_stats(op, stats, rows, items.heads());
  const kernels::Table& table = kernels::table(runtime.isa());
  const MatrixView<float> scratches = items.kernel_scratches(runtime);
  for_each_item(runtime, items,
                [&](std::size_t worker, AttentionItems::Block block, std::size_t h,
                    AttentionItem<float>& item) {
                  const std::size_t row = items.queries()[block.b].begin + block.first;
                  item.out = out.row(row).data() + h * items.value_width();
                  item.out_stride = out.stride();
                  point_at_stats(item, stats, row, h);
                  if (table.attention_forward(item, scratches.row(worker).data())) {
                    kernels::table(Isa::scalar).attention_forward(item, nullptr);
                  }
                });
}

/// Where sequence b's weights begin among those of all; visit(i, begin) is told of each before it.
/// keys_of(i): its number of keys.
template <class KeysOf, class Visit>
std::size_t weights_begin(const Segments& queries, std::size_t heads, std::size_t b, KeysOf keys_of,
                          Visit visit) {
  std::size_t begin = 0;
  for (std::size_t i = 0; i < b; ++i) {
    visit(i, begin);
    const std::size_t size = checked_product(checked_product(heads, queries.length(i)), keys_of(i));
    // Neither is beyond half of what fits: their sum is one number, to be checked as a product is.
    begin = checked_product(begin + size, 1);
  }
  return begin;
}

}  // namespace

void attention_forward(Runtime& runtime, const Pass& pass, const AttentionOptions& options,
                       MatrixView<const float> q, const Segments& queries,
                       MatrixView<const float> k, MatrixView<const float> v, const Segments& keys,
                       MatrixView<float> out, const AttentionStats& stats) {
  constexpr std::string_view kOp = "attention_forward";
  require_matrix(kOp, "k", k, keys.total(), k.cols());
  require_matrix(kOp, "v", v, keys.total(), v.cols());
  const Arena::Scope scope(runtime.arena());
  const AttentionItems items(kOp, runtime, pass, options, q, queries,
                             sequence_views(runtime, k, keys), sequence_views(runtime, v, keys));
  forward(kOp, runtime, items, out, stats);
}

void attention_forward(Runtime& runtime, const Pass& pass, const AttentionOptions& options,
                       MatrixView<const float> q, const Segments& queries,
                       std::span<const MatrixView<const float>> k,
                       std::span<const MatrixView<const float>> v, MatrixView<float> out,
                       const AttentionStats& stats) {
  constexpr std::string_view kOp = "attention_forward";
  require_shape(v.size() == k.size(), kOp, ": there are ", v.size(),
                " sequences of values, expected ", k.size(), " (those of the keys)");
  const Arena::Scope scope(runtime.arena());
  forward(kOp, runtime, AttentionItems(kOp, runtime, pass, options, q, queries, k, v), out, stats);
}

std::size_t attention_weights_begin(const Segments& queries, const Segments& keys,
                                    std::size_t heads, std::size_t b) {
  constexpr std::string_view kOp = "attention_weights_begin";
  require_shape(queries.count() == keys.count(), kOp, ": there are ", keys.count(),
                " sequences of keys, expected ", queries.count(), " (those of the queries)");
  require_value(b <= queries.count(), kOp, ": sequence ", b, " is asked for, expected at most ",
                queries.count(), " (behind the last)");
  return weights_begin(
      queries, heads, b, [&](std::size_t i) { return keys.length(i); },
      [](std::size_t, std::size_t) {});
}

void attention_weights(Runtime& runtime, const Pass& pass, const AttentionOptions& options,
                       MatrixView<const float> q, const Segments& queries,
                       MatrixView<const float> k, const Segments& keys, const AttentionStats& stats,
                       std::span<float> weights) {
  require_matrix("attention_weights", "k", k, keys.total(), k.cols());
  const Arena::Scope scope(runtime.arena());
  attention_weights(runtime, pass, options, q, queries, sequence_views(runtime, k, keys), stats,
                    weights);
}

void attention_weights(Runtime& runtime, const Pass& pass, const AttentionOptions& options,
                       MatrixView<const float> q, const Segments& queries,
                       std::span<const MatrixView<const float>> k, const AttentionStats& stats,
                       std::span<float> weights) {
  constexpr std::string_view kOp = "attention_weights";
  const Arena::Scope scope(runtime.arena());
  const AttentionItems items(kOp, runtime, pass, options, q, queries, k, {});
  require_stats(kOp, stats, queries.total(), items.heads());
  const auto begins = runtime.arena().take<std::size_t>(queries.count());
  const std::size_t count = weights_begin(
      queries, items.heads(), queries.count(), [&](std::size_t b) { return items.keys(b); },
      [&](std::size_t b, std::size_t begin) { begins[b] = begin; });
  require_vector(kOp, "weights", weights, count);
  const kernels::Table& table = kernels::table(runtime.isa());
  const MatrixView<float> scratches = items.kernel_scratches(runtime);
  for_each_item(runtime, items,
                [&](std::size_t worker, AttentionItems::Block block, std::size_t h,
                    AttentionItem<float>& item) {
                  point_at_stats(item, stats, queries[block.b].begin + block.first, h);
                  const std::size_t row = h * queries.length(block.b) + block.first;
                  table.attention_weights(item, weights.data() + begins[block.b] + row * item.keys,
                                          scratches.row(worker).data());
                });
}

void attention_log_sum_exp(Runtime& runtime, const AttentionStats& stats,
                           MatrixView<float> log_sum_exp) {
  constexpr std::string_view kOp = "attention_log_sum_exp";
  constexpr std::size_t kRowsAnItem = 256;
  require_stats(kOp, stats, log_sum_exp.rows(), log_sum_exp.cols());
  const auto kernel = kernels::table(runtime.isa()).attention_log_sum_exp;
  for_row_items(runtime, log_sum_exp.rows(), kRowsAnItem, [&](std::size_t first, std::size_t end) {
    for (std::size_t t = first; t < end; ++t) {
      kernel(stats.top.row(t).data(), stats.sum.row(t).data(), log_sum_exp.cols(),
             log_sum_exp.row(t).data());
    }
  });
}

}  // namespace padless
