// Rows of a table, looked up by id.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "padless/batch/shards.h"
#include "padless/core/matrix.h"
#include "padless/reference/shard_tree.h"

namespace padless::reference {

/// out[t] = table[ids[t]]. table [V, C], ids [T] in [0, V), out [T, C] written.
template <class Real>
void embedding_forward(MatrixView<const Real> table, std::span<const std::int32_t> ids,
                       MatrixView<Real> out) {
  for (std::size_t t = 0; t < ids.size(); ++t) {
    for (std::size_t c = 0; c < table.cols(); ++c) {
      out(t, c) = table(static_cast<std::size_t>(ids[t]), c);
    }
  }
}

/// total[c] += over shards, chains of the plain sum of x[t, c] over those of the `count` rows t in
/// `rows` (ascending) that lie in the shard. A shard without one is absent. x [T, cols], `bounds`
/// cuts T, total [cols] added to.
template <class Real>
void sum_listed_rows(const Real* x, std::size_t stride, const std::size_t* rows, std::size_t count,
                     const std::size_t* bounds, std::size_t shards, std::size_t cols, Real* total) {
  for (std::size_t c = 0; c < cols; ++c) {
    ShardTree<Real> tree;
    std::size_t i = 0;
    for (std::size_t s = 0; s < shards; ++s) {
      if (i == count || rows[i] >= bounds[s + 1]) {
        tree.add_absent();
        continue;
      }
      Real sum = 0;
      for (; i < count && rows[i] < bounds[s + 1]; ++i) sum = sum + x[rows[i] * stride + c];
      tree.add(sum);
    }
    total[c] = total[c] + tree.total();
  }
}

/// d_table[v] += the sum of d_out[t] over the rows t with ids[t] = v; the row of an id that does
/// not occur stays as it is. d_out [T, C], ids [T] in [0, V), d_table [V, C] added to.
template <class Real>
void embedding_backward(std::span<const std::int32_t> ids, MatrixView<const Real> d_out,
                        const Shards& shards, MatrixView<Real> d_table) {
  for (std::size_t v = 0; v < d_table.rows(); ++v) {
    std::vector<std::size_t> rows;
    for (std::size_t t = 0; t < ids.size(); ++t) {
      if (static_cast<std::size_t>(ids[t]) == v) rows.push_back(t);
    }
    if (rows.empty()) continue;
    sum_listed_rows<Real>(d_out.data(), d_out.stride(), rows.data(), rows.size(),
                          shards.bounds().data(), shards.count(), d_out.cols(),
                          d_table.row(v).data());
  }
}

}  // namespace padless::reference
