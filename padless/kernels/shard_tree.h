// The binary tree over a step's shards, over vectors of sums. Included once a target.

// NOLINTBEGIN(llvm-header-guard): Highway's guard, which opens again for each target.
#if defined(PADLESS_KERNELS_SHARD_TREE_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PADLESS_KERNELS_SHARD_TREE_H_
#undef PADLESS_KERNELS_SHARD_TREE_H_
#else
#define PADLESS_KERNELS_SHARD_TREE_H_
#endif
// NOLINTEND(llvm-header-guard)

#include "padless/kernels/simd.h"

HWY_BEFORE_NAMESPACE();
namespace padless::kernels::HWY_NAMESPACE {

// Levels of the tree: enough for Shards::kMost, 2^16.
inline constexpr std::size_t kLevels = 17;

/// The tree of reference/shard_tree.h over kVectors vectors at once.
template <std::size_t kVectors>
class ShardTree {
 public:
  HWY_INLINE void add(Vec* sums) { carry(sums, true); }
  HWY_INLINE void add_absent() { carry(nullptr, false); }

  /// into[v] += the sum of all shards, for the first `columns` lanes of every kWidth vectors.
  template <std::size_t kWidth>
  HWY_INLINE void add_total_to(float* into, std::size_t stride, std::size_t columns) const {
    const Tag d;
    std::size_t level = 0;
    while (((shards_ >> level) & 1) == 0) ++level;
    for (std::size_t v = 0; v < kVectors; ++v) {
      const std::size_t at = v % kWidth * kLanes;
      if (at >= columns) continue;
      float* to = into + v / kWidth * stride + at;
      const Vec total = here_[level] ? waiting_[level][v] : hn::Zero(d);
      store_tail(hn::Add(load_tail(to, columns - at), total), to, columns - at);
    }
  }

 private:
  HWY_INLINE void carry(Vec* sums, bool here) {
    std::size_t level = 0;
    Vec node[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v) node[v] = here ? sums[v] : hn::Zero(Tag());
    for (; (shards_ >> level) & 1; ++level) {
      if (!here_[level]) continue;
      for (std::size_t v = 0; v < kVectors; ++v) {
        node[v] = here ? hn::Add(waiting_[level][v], node[v]) : waiting_[level][v];
      }
      here = true;
    }
    for (std::size_t v = 0; v < kVectors; ++v) waiting_[level][v] = node[v];
    here_[level] = here;
    ++shards_;
  }

  Vec waiting_[kLevels][kVectors];
  bool here_[kLevels] = {};
  std::size_t shards_ = 0;
};

}  // namespace padless::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
