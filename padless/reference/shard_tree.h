#pragma once

#include <cstddef>
#include <utility>

#include "padless/reference/math.h"

namespace padless::reference {

/// Adds the totals of a step's shards in the binary tree ((0+1)+(2+3))+...; an empty shard is
/// absent: what it would be added to stays as it is.
template <class Real>
class ShardTree {
 public:
  /// The next shard's total.
  void add(Real total) { carry({std::move(total), true}); }
  void add_absent() { carry({}); }

  /// The sum of all, once a power of two of shards were added; 0 when all are absent.
  Real total() const {
    for (std::size_t level = 0; level < kLevels; ++level) {
      if ((shards_ >> level) == 1) return waiting_[level].here ? waiting_[level].sum : Real(0);
    }
    return Real(0);
  }

 private:
  struct Node {
    Real sum{};
    bool here = false;
  };
  static constexpr std::size_t kLevels = 32;

  void carry(Node node) {
    std::size_t level = 0;
    for (; (shards_ >> level) & 1; ++level) {
      const Node& left = waiting_[level];
      if (left.here && node.here) {
        node.sum = left.sum + node.sum;
      } else if (left.here) {
        node = left;
      }
    }
    waiting_[level] = std::move(node);
    ++shards_;
  }

  Node waiting_[kLevels] = {};
  std::size_t shards_ = 0;
};

/// Plain loops know no shards: one chain over all rows.
template <>
class ShardTree<Plain> {
 public:
  void add(Plain total) { sum_ += total; }
  void add_absent() {}
  Plain total() const { return sum_; }

 private:
  Plain sum_;
};

/// Sums term(sum, t) over rows t: a chain from +0 in each shard, the shards in their tree. `bounds`
/// holds shards + 1 row numbers.
template <class Real, class Term>
Real sum_over_shards(const std::size_t* bounds, std::size_t shards, Term term) {
  ShardTree<Real> tree;
  for (std::size_t s = 0; s < shards; ++s) {
    if (bounds[s] == bounds[s + 1]) {
      tree.add_absent();
      continue;
    }
    Real sum = 0;
    for (std::size_t t = bounds[s]; t < bounds[s + 1]; ++t) sum = term(sum, t);
    tree.add(sum);
  }
  return tree.total();
}

}  // namespace padless::reference
