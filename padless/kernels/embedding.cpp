// The gradient of one row of a table: the sum of the rows that looked it up.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "padless/kernels/embedding.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.h, which includes this file once a target:
#include "padless/kernels/kernels.h"
#include "padless/kernels/shard_tree.h"

HWY_BEFORE_NAMESPACE();
namespace padless::kernels::HWY_NAMESPACE {
namespace {

void sum_listed_rows(const float* x, std::size_t stride, const std::size_t* rows, std::size_t count,
                     const std::size_t* bounds, std::size_t shards, std::size_t cols,
                     float* total) {
  const Tag d;
  for (std::size_t j = 0; j < cols; j += kLanes) {
    ShardTree<1> tree;
    std::size_t i = 0;
    for (std::size_t s = 0; s < shards; ++s) {
      if (i == count || rows[i] >= bounds[s + 1]) {
        tree.add_absent();
        continue;
      }
      Vec acc = hn::Zero(d);
      for (; i < count && rows[i] < bounds[s + 1]; ++i) {
        acc = hn::Add(acc, load_tail(x + rows[i] * stride + j, cols - j));
      }
      tree.add(&acc);
    }
    tree.add_total_to<1>(total + j, 0, cols - j);
  }
}

}  // namespace

void add_embedding(Table& table) { table.sum_listed_rows = sum_listed_rows; }

}  // namespace padless::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
