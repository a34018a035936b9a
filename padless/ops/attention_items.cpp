#include "padless/ops/attention_items.h"

#include <cmath>
#include <limits>

#include "padless/core/error.h"
#include "padless/core/fp.h"
#include "padless/core/rng.h"
#include "padless/kernels/dispatch.h"
#include "padless/ops/checks.h"
#include "padless/ops/draws.h"

namespace padless {
namespace {

void require_options(std::string_view op, const AttentionOptions& options) {
  constexpr std::size_t kMostHeads = std::size_t{1} << 16;
  require_value(options.heads >= 1 && options.heads < kMostHeads, op, ": heads is ", options.heads,
                ", expected 1 to ", kMostHeads - 1);
  require_value(options.key_heads == 0 || options.heads % options.key_heads == 0, op,
                ": key_heads is ", options.key_heads, ", expected a divisor of heads, ",
                options.heads);
  require_value(!options.scale || std::isfinite(*options.scale), op,
                ": scale is not finite, expected a number");
  // Scores are multiplied by its inverse.
  require_value(options.soft_cap == 0 || (options.soft_cap > 0 && std::isfinite(options.soft_cap) &&
                                          std::isfinite(1 / options.soft_cap)),
                op, ": soft_cap is ", options.soft_cap,
                ", expected a number above 0 whose inverse is finite, or 0 for none");
  if (!options.alibi_slopes.empty()) {
    require_vector(op, "alibi_slopes", options.alibi_slopes, options.heads);
  }
  if (options.learned_bias.rows() > 0) {
    require_shape(options.learned_bias.rows() % options.heads == 0, op, ": learned_bias has ",
                  options.learned_bias.rows(), " rows, expected a multiple of heads, ",
                  options.heads);
  }
  if (options.relative) {
    require_matrix(op, "relative.weights", options.relative->weights,
                   options.relative->buckets.count, options.heads);
  }
}

// A mask or a bias of the padded world has a place for every query and key of every sequence.
void require_cells(std::string_view op, std::string_view operand, const AttentionSizes& sizes,
                   const AttentionOptions& options, std::size_t sequences, std::size_t queries,
                   std::size_t keys) {
  require_shape(sizes.batch == sequences, op, ": ", operand, " is of ", sizes.batch,
                " sequences, expected ", sequences);
  require_shape(sizes.heads == 1 || sizes.heads == options.heads, op, ": ", operand, " is of ",
                sizes.heads, " heads, expected 1 or ", options.heads);
  require_shape((sizes.queries == 1 || sizes.queries >= queries) && sizes.keys >= keys, op, ": ",
                operand, " is [", sizes.queries, ", ", sizes.keys, "] a head, expected [1 or ",
                queries, " or more, ", keys, " or more] (the longest queries and keys)");
}

}  // namespace

AttentionItems::AttentionItems(std::string_view op, Runtime& runtime, const Pass& pass,
                               const AttentionOptions& options, MatrixView<const float> q,
                               const Segments& queries, Views k, Views v)
    : pass_(pass),
      options_(options),
      q_(q),
      queries_(queries),
      k_(k),
      v_(v),
      key_heads_(options.key_heads == 0 ? options.heads : options.key_heads),
      threshold_(drop_threshold(op, options.dropout)) {
  const FpEnvironment environment;  // of the scale
  require_options(op, options);
  const std::size_t sequences = queries.count();
  require_shape(k.size() == sequences, op, ": there are ", k.size(),
                " sequences of keys, expected ", sequences, " (those of the queries)");
  require_shape(q.rows() == queries.total() && q.cols() % options.heads == 0, op, ": q is [",
                q.rows(), ", ", q.cols(), "], expected [", queries.total(), ", a multiple of ",
                options.heads, " heads]");
  width_ = q.cols() / options.heads;
  require_value(width_ > 0 || q.rows() == 0, op, ": the heads of q are 0 wide, expected 1 or more");
  scale_ =
      options.scale.value_or(1 / std::sqrt(static_cast<float>(std::max<std::size_t>(width_, 1))));

  block_offsets_ = runtime.arena().take<std::size_t>(sequences + 1);
  block_offsets_[0] = 0;
  for (std::size_t b = 0; b < sequences; ++b) {
    check_sequence(op, b);
    longest_keys_ = std::max(longest_keys_, keys(b));
    block_offsets_[b + 1] =
        block_offsets_[b] + (queries.length(b) + kQueriesAnItem - 1) / kQueriesAnItem;
  }
  constexpr std::size_t kMostRows = std::numeric_limits<std::int32_t>::max() / 2;
  const std::size_t longest = std::max(longest_keys_, queries.longest());
  require_value(longest < kMostRows, op, ": a sequence has ", longest, " rows, expected less than ",
                kMostRows);
  check_masks(op);
  if (drops()) require_documents(op, pass, q.rows());
  if (options.relative) find_buckets(runtime, options.relative->buckets);
}

void AttentionItems::check_sequence(std::string_view op, std::size_t b) {
  require_matrix(op, "k", k_[b], keys(b), key_heads_ * width_);
  if (!v_.empty()) {
    require_shape(v_[b].cols() % key_heads_ == 0, op, ": v is ", v_[b].cols(),
                  " wide, expected a multiple of ", key_heads_, " key heads");
    value_width_ = v_[b].cols() / key_heads_;
    require_matrix(op, "v", v_[b], keys(b), v_[0].cols());
  }
  const bool placed = !options_.alibi_slopes.empty() || options_.relative.has_value();
  require_shape(!placed || queries_.length(b) == keys(b) || options_.attend.align(), op, ": ",
                queries_.length(b), " queries and ", keys(b),
                " keys have distances only with an alignment, as "
                "Attend::causal(Align::bottom_right)");
  bounds(b);  // throws where the lengths differ and no alignment was given
}

void AttentionItems::check_masks(std::string_view op) const {
  const auto cells = [&](std::string_view operand, const AttentionSizes& sizes) {
    require_cells(op, operand, sizes, options_, queries_.count(), queries_.longest(),
                  longest_keys_);
  };
  if (options_.keep != nullptr) cells("keep", options_.keep->sizes());
  if (options_.bias != nullptr) cells("bias", options_.bias->sizes());
  if (options_.learned_bias.rows() == 0) return;
  // Unlike a mask's, one row does not stand for all queries.
  const std::size_t rows = options_.learned_bias.rows() / options_.heads;
  require_shape(rows >= queries_.longest() && options_.learned_bias.cols() >= longest_keys_, op,
                ": learned_bias is [", rows, ", ", options_.learned_bias.cols(),
                "] a head, expected [", queries_.longest(), " or more, ", longest_keys_,
                " or more] (the longest queries and keys)");
}

void AttentionItems::find_buckets(Runtime& runtime, const T5Buckets& buckets) {
  // Distances from a key to a query's place: no query stands before -queries or behind keys +
  // queries.
  const std::size_t reach = queries_.longest() + longest_keys_;
  first_distance_ = -static_cast<std::ptrdiff_t>(reach);
  buckets_ = runtime.arena().take<std::size_t>(2 * reach + 1);
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    buckets_[i] = buckets.bucket(first_distance_ + static_cast<std::ptrdiff_t>(i));
  }
}

AttentionItems::Block AttentionItems::block(std::size_t number) const {
  const auto after = std::ranges::upper_bound(block_offsets_, number);
  const auto b = static_cast<std::size_t>(after - block_offsets_.begin()) - 1;
  return {b, (number - block_offsets_[b]) * kQueriesAnItem};
}

bool AttentionItems::adds() const {
  return options_.bias != nullptr || options_.learned_bias.rows() > 0 || options_.relative;
}

std::size_t AttentionItems::bucket(std::ptrdiff_t distance) const {
  return buckets_[static_cast<std::size_t>(distance - first_distance_)];
}

AttentionItems::Scratch AttentionItems::scratch(Runtime& runtime) const {
  const std::size_t pairs = checked_product(longest_keys_, kQueriesAnItem);
  Scratch scratch;
  if (options_.keep != nullptr) scratch.keep = runtime.arena().take<std::uint8_t>(pairs);
  if (adds()) scratch.bias = runtime.arena().take<float>(pairs);
  if (drops()) {
    scratch.dropped = runtime.arena().take<float>(pairs);
    scratch.factors = runtime.arena().take<float>(longest_keys_);
  }
  return scratch;
}

void AttentionItems::fill_bias(Block block, std::size_t h, std::size_t count,
                               Scratch& scratch) const {
  const std::size_t n = keys(block.b);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t query = block.first + i;
    std::span<const float> given, learned;
    if (options_.bias != nullptr) given = options_.bias->row(block.b, h, query);
    if (options_.learned_bias.rows() > 0) {
      learned = options_.learned_bias.row(h * (options_.learned_bias.rows() / heads()) + query);
    }
    for (std::size_t j = 0; j < n; ++j) {
      // One sum, in this order, before it meets the score.
      float sum = 0;
      if (!given.empty()) sum = sum + given[j];
      if (!learned.empty()) sum = sum + learned[j];
      if (options_.relative) {
        const std::ptrdiff_t distance = static_cast<std::ptrdiff_t>(j) - scratch.place[i];
        sum = sum + options_.relative->weights(bucket(distance), h);
      }
      scratch.bias[j * kQueriesAnItem + i] = sum;
    }
  }
}

void AttentionItems::fill_dropped(Runtime& runtime, Block block, std::size_t h, std::size_t count,
                                  Scratch& scratch) const {
  const std::size_t n = keys(block.b);
  const auto draws = draw_key(pass_.seed, pass_.step, options_.op);
  const auto kernel = kernels::table(runtime.isa()).dropout;
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t row = queries_[block.b].begin + block.first + i;
    std::uint64_t number = 0;
    if (pass_.documents != nullptr) {
      const std::size_t document = pass_.documents->sequence_of(row);
      number = pass_.document_numbers[document];
      row -= (*pass_.documents)[document].begin;
    }
    std::ranges::fill(scratch.factors, 1.0f);
    kernel(scratch.factors.data(), n, threshold_, draws.data(), number,
           static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(h), scratch.factors.data());
    for (std::size_t j = 0; j < n; ++j) {
      scratch.dropped[j * kQueriesAnItem + i] = scratch.factors[j];
    }
  }
}

MatrixView<float> AttentionItems::kernel_scratches(Runtime& runtime) const {
  const auto size = kernels::table(runtime.isa()).attention_scratch;
  return runtime.arena().matrix(runtime.threads(), size(width_, value_width_));
}

AttentionItem<float> AttentionItems::item(Runtime& runtime, Block block, std::size_t h,
                                          Scratch& scratch) const {
  const std::size_t n = keys(block.b);
  const std::size_t count = std::min(kQueriesAnItem, queries_.length(block.b) - block.first);
  const std::size_t key_head = h / (heads() / key_heads_);
  const Attend::Bounds bound = bounds(block.b);
  for (std::size_t i = 0; i < count; ++i) {
    const Segments::Rows seen = bound[block.first + i];
    scratch.begin[i] = static_cast<std::int32_t>(seen.begin);
    scratch.end[i] = static_cast<std::int32_t>(seen.end);
    scratch.place[i] = static_cast<std::int32_t>(bound.place(block.first + i));
  }
  AttentionItem<float> item{
      .queries = count,
      .keys = n,
      .width = width_,
      .value_width = value_width_,
      .q = q_.row(queries_[block.b].begin + block.first).data() + h * width_,
      .k = k_[block.b].data() + key_head * width_,
      .v = v_.empty() ? nullptr : v_[block.b].data() + key_head * value_width_,
      .q_stride = q_.stride(),
      .k_stride = k_[block.b].stride(),
      .v_stride = v_.empty() ? 0 : v_[block.b].stride(),
      .scale = scale_,
      .soft_cap = options_.soft_cap,
      .begin = scratch.begin,
      .end = scratch.end,
      .place = scratch.place};
  if (!options_.alibi_slopes.empty()) {
    item.alibi = true;
    item.slope = options_.alibi_slopes[h];
  }
  if (options_.keep != nullptr) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::span<const std::uint8_t> kept = options_.keep->row(block.b, h, block.first + i);
      for (std::size_t j = 0; j < n; ++j) scratch.keep[j * kQueriesAnItem + i] = kept[j];
    }
    item.keep = scratch.keep.data();
  }
  if (adds()) {
    fill_bias(block, h, count, scratch);
    item.bias = scratch.bias.data();
  }
  if (drops()) {
    fill_dropped(runtime, block, h, count, scratch);
    item.dropped = scratch.dropped.data();
  }
  return item;
}

void require_stats(std::string_view op, const AttentionStats& stats, std::size_t rows,
                   std::size_t heads) {
  require_matrix(op, "stats.top", stats.top, rows, heads);
  require_matrix(op, "stats.sum", stats.sum, rows, heads);
  require_shape(stats.top.stride() == stats.sum.stride(), op, ": stats.top has a row stride of ",
                stats.top.stride(), ", expected that of stats.sum, ", stats.sum.stride());
}

void point_at_stats(AttentionItem<float>& item, const AttentionStats& stats, std::size_t row,
                    std::size_t h) {
  item.top = &stats.top(row, h);
  item.sum = &stats.sum(row, h);
  item.stats_stride = stats.top.stride();
}

std::span<const MatrixView<const float>> sequence_views(Runtime& runtime, MatrixView<const float> x,
                                                        const Segments& segs) {
  const auto views = runtime.arena().take<MatrixView<const float>>(segs.count());
  for (std::size_t b = 0; b < segs.count(); ++b) {
    views[b] = x.rows_at(segs[b].begin, segs.length(b));
  }
  return views;
}

}  // namespace padless
