// Gradients of weights and biases: sums over a step's rows, a chain in each shard, the shards added
// in their binary tree while a tile of outputs is at hand.

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

// kN rows of d_w times one panel of kVectors vectors: `d_y` holds kN, `x` the panel's columns of
// every row, both packed.
template <std::size_t kVectors>
struct Tile {
  template <std::size_t kN>
  static HWY_INLINE void run(const float* d_y, const float* x, const std::size_t* bounds,
                             std::size_t shards, std::size_t columns, float* d_w,
                             std::size_t d_w_stride) {
    const Tag d;
    ShardTree<kN * kVectors> tree;
    for (std::size_t s = 0; s < shards; ++s) {
      if (bounds[s] == bounds[s + 1]) {
        tree.add_absent();
        continue;
      }
      Vec acc[kN * kVectors];
      for (Vec& part : acc) part = hn::Zero(d);
      for (std::size_t t = bounds[s]; t < bounds[s + 1]; ++t) {
        Vec cells[kVectors];
        for (std::size_t v = 0; v < kVectors; ++v) {
          cells[v] = hn::Load(d, x + (t * kVectors + v) * kLanes);
        }
        for (std::size_t n = 0; n < kN; ++n) {
          const Vec slope = hn::Set(d, d_y[t * kN + n]);
          for (std::size_t v = 0; v < kVectors; ++v) {
            acc[n * kVectors + v] = hn::MulAdd(slope, cells[v], acc[n * kVectors + v]);
          }
        }
      }
      tree.add(acc);
    }
    tree.template add_total_to<kVectors>(d_w, d_w_stride, columns);
  }
};

struct RowsByPanel {
  template <std::size_t kVectors>
  static void run(const float* d_y, std::size_t d_y_stride, const float* x, std::size_t x_stride,
                  const std::size_t* bounds, std::size_t shards, std::size_t n, std::size_t columns,
                  float* d_w, std::size_t d_w_stride, float* scratch) {
    const std::size_t rows = bounds[shards];
    // Both operands are packed: read in place they would touch a page a row.
    float* x_packed = scratch;
    float* d_y_packed = scratch + rows * 3 * kLanes;
    for (std::size_t t = 0; t < rows; ++t) {
      for (std::size_t v = 0; v < kVectors; ++v) {
        const std::size_t at = v * kLanes;
        const Vec cells = load_tail(x + t * x_stride + at, columns - at);
        hn::Store(cells, Tag(), x_packed + (t * kVectors + v) * kLanes);
      }
    }
    const std::size_t tiles = (n + kRows - 1) / kRows;
    for (std::size_t i = 0, first = 0; i < tiles; ++i) {
      const std::size_t height = n / tiles + (i < n % tiles ? 1 : 0);
      for (std::size_t t = 0; t < rows; ++t) {
        const float* from = d_y + t * d_y_stride + first;
        for (std::size_t r = 0; r < height; ++r) d_y_packed[t * height + r] = from[r];
      }
      float* to = d_w + first * d_w_stride;
      with_rows<Tile<kVectors>>(height, d_y_packed, x_packed, bounds, shards, columns, to,
                                d_w_stride);
      first += height;
    }
  }
};

void weight_gradient(const float* d_y, std::size_t d_y_stride, const float* x, std::size_t x_stride,
                     const std::size_t* bounds, std::size_t shards, std::size_t n, std::size_t k,
                     std::size_t panel_begin, std::size_t panel_end, float* d_w,
                     std::size_t d_w_stride, float* scratch) {
  const Panels cut(k);
  for (std::size_t p = panel_begin; p < panel_end; ++p) {
    const std::size_t first = cut.begin(p) * kLanes;
    with_width<RowsByPanel>(cut.width(p), d_y, d_y_stride, x + first, x_stride, bounds, shards, n,
                            k - first, d_w + first, d_w_stride, scratch);
  }
}

std::size_t weight_gradient_scratch(std::size_t rows) {
  // Whole cache lines, so that scratches side by side are aligned.
  return (rows * (3 * kLanes + kRows) + 15) / 16 * 16;
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
  table.weight_gradient = weight_gradient;
  table.weight_gradient_scratch = weight_gradient_scratch;
  table.sum_rows = sum_rows;
}

}  // namespace padless::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
