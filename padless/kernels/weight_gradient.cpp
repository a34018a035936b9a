// Gradients of weights and biases: sums over a step's rows, a chain in each shard, the shards added
// in their binary tree while a tile of sums is in registers.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "padless/kernels/weight_gradient.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.h, which includes this file once a target:
#include "padless/kernels/kernels.h"
#include "padless/kernels/panels.h"
#include "padless/kernels/shard_tree.h"

HWY_BEFORE_NAMESPACE();
namespace padless::kernels::HWY_NAMESPACE {
namespace {

// Rows that are summed before the next tile has its turn: their part of a panel stays in the
// first-level cache. A longer shard goes on from where it stopped, through memory.
constexpr std::size_t kBlockRows = 128;

// Rows of d_w are cut into tiles of nearly equal height: 17 are 6 + 6 + 5. Packed, a tile has all
// its d_y together, kRows floats a row.
struct Tiles {
  std::size_t n, count;

  explicit HWY_INLINE Tiles(std::size_t rows) : n(rows), count((rows + kRows - 1) / kRows) {}
  HWY_INLINE std::size_t height(std::size_t i) const { return n / count + (i < n % count ? 1 : 0); }
};

std::size_t levels_of(std::size_t shards) {
  std::size_t levels = 1;
  while ((shards >> levels) > 0) ++levels;
  return levels;
}

// What becomes of a tile's sums at the end of a block of rows: where they go, and the levels of the
// shards' tree that are added on the way.
struct Step {
  const float* left[kLevels];
  std::size_t merges = 0;
  float* to = nullptr;
  bool begins = true;  // from +0, else from what lies at `to`
};

// The tree of reference/shard_tree.h for all sums of a panel, in memory.
class PanelTree {
 public:
  // levels_of(shards) times `floats` at `memory`.
  PanelTree(float* memory, std::size_t floats) : memory_(memory), floats_(floats) {}

  // Where the next shard's sums go.
  Step add() {
    Step step;
    std::size_t level = 0;
    for (; (shards_ >> level) & 1; ++level) {
      if (here_[level]) step.left[step.merges++] = at(level);
    }
    step.to = at(level);
    here_[level] = true;
    ++shards_;
    return step;
  }

  void add_absent() {
    const float* node = nullptr;
    std::size_t end = 0;
    while ((shards_ >> end) & 1) ++end;
    for (std::size_t level = 0; level < end; ++level) {
      if (!here_[level]) continue;
      for (std::size_t i = 0; i < floats_; i += kLanes) {
        const Vec left = hn::Load(Tag(), at(level) + i);
        hn::Store(node == nullptr ? left : hn::Add(left, hn::Load(Tag(), node + i)), Tag(),
                  at(end) + i);
      }
      node = at(end);
    }
    here_[end] = node != nullptr;
    ++shards_;
  }

  // The sums of all shards; null where all are absent.
  const float* total() const {
    const std::size_t level = levels_of(shards_) - 1;
    return here_[level] ? at(level) : nullptr;
  }

 private:
  float* at(std::size_t level) const { return memory_ + level * floats_; }

  float* memory_;
  std::size_t floats_, shards_ = 0;
  bool here_[kLevels] = {};
};

// kN rows of d_w times one panel of kVectors vectors, over some rows: `d_y` holds the tile's part
// of each, `x` the panel's.
template <std::size_t kVectors>
struct Tile {
  template <std::size_t kN>
  static HWY_INLINE void run(const float* d_y, const float* x, std::size_t rows, const Step* step,
                             std::size_t offset) {
    const Tag d;
    float* const to = step->to + offset;
    Vec acc[kN][kVectors];
    for (std::size_t n = 0; n < kN; ++n) {
      for (std::size_t v = 0; v < kVectors; ++v) {
        acc[n][v] = step->begins ? hn::Zero(d) : hn::Load(d, to + (n * kVectors + v) * kLanes);
      }
    }
    for (std::size_t t = 0; t < rows; ++t) {
      Vec cells[kVectors];
      for (std::size_t v = 0; v < kVectors; ++v) cells[v] = hn::Load(d, x + v * kLanes);
      x += kVectors * kLanes;
      for (std::size_t n = 0; n < kN; ++n) {
        const Vec slope = hn::Set(d, d_y[n]);
        for (std::size_t v = 0; v < kVectors; ++v) {
          acc[n][v] = hn::MulAdd(slope, cells[v], acc[n][v]);
        }
      }
      d_y += kRows;
    }
    for (std::size_t m = 0; m < step->merges; ++m) {
      const float* const left = step->left[m] + offset;
      for (std::size_t n = 0; n < kN; ++n) {
        for (std::size_t v = 0; v < kVectors; ++v) {
          acc[n][v] = hn::Add(hn::Load(d, left + (n * kVectors + v) * kLanes), acc[n][v]);
        }
      }
    }
    for (std::size_t n = 0; n < kN; ++n) {
      for (std::size_t v = 0; v < kVectors; ++v) {
        hn::Store(acc[n][v], d, to + (n * kVectors + v) * kLanes);
      }
    }
  }
};

struct ByPanel {
  template <std::size_t kVectors>
  static void run(const float* packed, const float* x, std::size_t x_stride,
                  const std::size_t* bounds, std::size_t shards, std::size_t n, std::size_t columns,
                  float* d_w, std::size_t d_w_stride, float* scratch) {
    constexpr std::size_t kTile = kRows * kVectors * kLanes;
    const std::size_t rows = bounds[shards];
    const Tiles tiles(n);
    float* const x_packed = scratch;
    PanelTree tree(scratch + kBlockRows * 3 * kLanes, tiles.count * kTile);
    for (std::size_t s = 0; s < shards; ++s) {
      if (bounds[s] == bounds[s + 1]) {
        tree.add_absent();
        continue;
      }
      const Step whole = tree.add();
      Step step = whole;
      for (std::size_t t = bounds[s]; t < bounds[s + 1]; t += kBlockRows) {
        const std::size_t left = bounds[s + 1] - t;
        const std::size_t block = left < kBlockRows ? left : kBlockRows;
        step.merges = block == left ? whole.merges : 0;
        pack_panel<kVectors>(x + t * x_stride, x_stride, block, columns, x_packed);
        for (std::size_t i = 0; i < tiles.count; ++i) {
          with_rows<Tile<kVectors>>(tiles.height(i), packed + (i * rows + t) * kRows, x_packed,
                                    block, &step, i * kTile);
        }
        step.begins = false;
      }
    }
    add_total<kVectors>(tree.total(), tiles, columns, d_w, d_w_stride);
  }

 private:
  // Read in place, rows would touch a page each, again for every tile.
  template <std::size_t kVectors>
  static void pack_panel(const float* x, std::size_t stride, std::size_t rows, std::size_t columns,
                         float* packed) {
    for (std::size_t t = 0; t < rows; ++t) {
      for (std::size_t v = 0; v < kVectors; ++v) {
        const std::size_t at = v * kLanes;
        hn::Store(load_tail(x + t * stride + at, columns - at), Tag(), packed);
        packed += kLanes;
      }
    }
  }

  template <std::size_t kVectors>
  static void add_total(const float* total, const Tiles& tiles, std::size_t columns, float* d_w,
                        std::size_t stride) {
    for (std::size_t i = 0; i < tiles.count; ++i) {
      const float* sums = total == nullptr ? nullptr : total + i * kRows * kVectors * kLanes;
      for (std::size_t r = 0; r < tiles.height(i); ++r, d_w += stride) {
        for (std::size_t v = 0; v < kVectors; ++v) {
          const std::size_t at = v * kLanes;
          const Vec sum = sums == nullptr ? hn::Zero(Tag())
                                          : hn::Load(Tag(), sums + (r * kVectors + v) * kLanes);
          store_tail(hn::Add(load_tail(d_w + at, columns - at), sum), d_w + at, columns - at);
        }
      }
    }
  }
};

std::size_t packed_gradient_size(std::size_t rows, std::size_t n) {
  return Tiles(n).count * rows * kRows;
}

void pack_gradient(const float* d_y, std::size_t stride, std::size_t rows, std::size_t n,
                   std::size_t row_begin, std::size_t row_end, float* packed) {
  const hn::FixedTag<float, kRows> d;
  constexpr std::size_t kAtOnce = 8;  // their cache lines serve several tiles
  const Tiles tiles(n);
  for (std::size_t t = row_begin; t < row_end; t += kAtOnce) {
    const std::size_t end = t + kAtOnce < row_end ? t + kAtOnce : row_end;
    for (std::size_t i = 0, first = 0; i < tiles.count; first += tiles.height(i++)) {
      for (std::size_t row = t; row < end; ++row) {
        const float* const from = d_y + row * stride + first;
        float* const to = packed + (i * rows + row) * kRows;
        if (first + kRows <= n) {
          hn::StoreU(hn::LoadU(d, from), d, to);
        } else {
          for (std::size_t r = 0; r < tiles.height(i); ++r) to[r] = from[r];
        }
      }
    }
  }
}

void weight_gradient(const float* packed, const float* x, std::size_t x_stride,
                     const std::size_t* bounds, std::size_t shards, std::size_t n, std::size_t k,
                     std::size_t panel_begin, std::size_t panel_end, float* d_w,
                     std::size_t d_w_stride, float* scratch) {
  const Panels cut(k);
  for (std::size_t p = panel_begin; p < panel_end; ++p) {
    const std::size_t first = cut.begin(p) * kLanes;
    with_width<ByPanel>(cut.width(p), packed, x + first, x_stride, bounds, shards, n, k - first,
                        d_w + first, d_w_stride, scratch);
  }
}

std::size_t weight_gradient_scratch(std::size_t shards, std::size_t n) {
  return (kBlockRows + levels_of(shards) * Tiles(n).count * kRows) * 3 * kLanes;
}

void sum_rows(const float* x, std::size_t stride, const std::size_t* bounds, std::size_t shards,
              std::size_t cols, float* total) {
  const Tag d;
  for (std::size_t j = 0; j < cols; j += kLanes) {
    ShardTree<1> tree;
    for (std::size_t s = 0; s < shards; ++s) {
      if (bounds[s] == bounds[s + 1]) {
        tree.add_absent();
        continue;
      }
      Vec acc = hn::Zero(d);
      for (std::size_t t = bounds[s]; t < bounds[s + 1]; ++t) {
        acc = hn::Add(acc, load_tail(x + t * stride + j, cols - j));
      }
      tree.add(&acc);
    }
    tree.add_total_to<1>(total + j, 0, cols - j);
  }
}

}  // namespace

void add_weight_gradient(Table& table) {
  table.packed_gradient_size = packed_gradient_size;
  table.pack_gradient = pack_gradient;
  table.weight_gradient = weight_gradient;
  table.weight_gradient_scratch = weight_gradient_scratch;
  table.sum_rows = sum_rows;
}

}  // namespace padless::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
