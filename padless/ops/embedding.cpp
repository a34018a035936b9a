#include "padless/ops/embedding.h"

#include <algorithm>
#include <string_view>

#include "padless/core/error.h"
#include "padless/kernels/dispatch.h"
#include "padless/ops/checks.h"
#include "padless/ops/row_items.h"

namespace padless {
namespace {

constexpr std::size_t kRowsAnItem = 256;
// Most ids are rare: several a time are worth a thread's while.
constexpr std::size_t kIdsAnItem = 16;

std::size_t index(std::int32_t id) { return static_cast<std::size_t>(id); }

void require_ids(std::string_view op, std::span<const std::int32_t> ids, std::size_t vocabulary) {
  for (std::size_t t = 0; t < ids.size(); ++t) {
    require_value(ids[t] >= 0 && index(ids[t]) < vocabulary, op, ": ids[", t, "] is ", ids[t],
                  ", expected an id in [0, ", vocabulary, ") (the rows of the table)");
  }
}

/// The rows of each id that occurs, ascending: an occurring id's rows stand side by side in `rows`.
struct RowsById {
  std::span<std::size_t> rows;   // [T]
  std::span<std::size_t> ids;    // those that occur, ascending
  std::span<std::size_t> begin;  // [ids.size() + 1], places in `rows`

  /// A stable counting sort, in the arena's memory.
  RowsById(Arena& arena, std::span<const std::int32_t> of, std::size_t vocabulary)
      : rows(arena.take<std::size_t>(of.size())) {
    const std::span<std::size_t> place = arena.take<std::size_t>(vocabulary);
    std::ranges::fill(place, 0u);
    for (const std::int32_t id : of) ++place[index(id)];
    const std::size_t distinct =
        vocabulary - static_cast<std::size_t>(std::ranges::count(place, 0u));
    ids = arena.take<std::size_t>(distinct);
    begin = arena.take<std::size_t>(distinct + 1);
    std::size_t next = 0, sum = 0;
    for (std::size_t v = 0; v < vocabulary; ++v) {
      if (place[v] == 0) continue;
      ids[next] = v;
      begin[next++] = sum;
      sum += place[v];
      place[v] = sum - place[v];
    }
    begin[next] = sum;
    for (std::size_t t = 0; t < of.size(); ++t) rows[place[index(of[t])]++] = t;
  }
};

}  // namespace

void embedding_forward(Runtime& runtime, const Pass& /*pass*/, MatrixView<const float> table,
                       std::span<const std::int32_t> ids, MatrixView<float> out) {
  constexpr std::string_view kOp = "embedding_forward";
  require_matrix(kOp, "out", out, ids.size(), table.cols());
  require_ids(kOp, ids, table.rows());
  for_row_items(runtime, ids.size(), kRowsAnItem, [&](std::size_t first, std::size_t end) {
    for (std::size_t t = first; t < end; ++t) {
      std::ranges::copy(table.row(index(ids[t])), out.row(t).begin());
    }
  });
}

void embedding_backward(Runtime& runtime, const Pass& pass, std::span<const std::int32_t> ids,
                        MatrixView<const float> d_out, MatrixView<float> d_table) {
  constexpr std::string_view kOp = "embedding_backward";
  require_matrix(kOp, "d_out", d_out, ids.size(), d_table.cols());
  require_ids(kOp, ids, d_table.rows());
  const PassShards shards = shards_of(kOp, pass, ids.size());
  const Arena::Scope scope(runtime.arena());
  const RowsById by_id(runtime.arena(), ids, d_table.rows());
  const auto kernel = kernels::table(runtime.isa()).sum_listed_rows;
  const std::size_t count = by_id.ids.size();
  runtime.parallel_for((count + kIdsAnItem - 1) / kIdsAnItem, [&](std::size_t item) {
    const std::size_t end = std::min(count, (item + 1) * kIdsAnItem);
    for (std::size_t i = item * kIdsAnItem; i < end; ++i) {
      kernel(d_out.data(), d_out.stride(), &by_id.rows[by_id.begin[i]],
             by_id.begin[i + 1] - by_id.begin[i], shards.bounds().data(), shards.count(),
             d_out.cols(), d_table.row(by_id.ids[i]).data());
    }
  });
}

}  // namespace padless
