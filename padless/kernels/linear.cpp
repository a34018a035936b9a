// y = x W^T + b on packed weights: each output is one chain of fused multiply-adds over k, whatever
// the number of rows, so its bits do not depend on the batch.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "padless/kernels/linear.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.h, which includes this file once a target:
#include "padless/kernels/kernels.h"
#include "padless/kernels/linear.h"
#include "padless/kernels/panels.h"

HWY_BEFORE_NAMESPACE();
namespace padless::kernels::HWY_NAMESPACE {
namespace {

// kM rows times one panel of kVectors vectors.
template <std::size_t kVectors>
struct Block {
  template <std::size_t kM>
  static HWY_INLINE void run(const float* x, std::size_t x_stride, std::size_t k,
                             const float* panel, const float* bias, std::size_t columns, float* y,
                             std::size_t y_stride) {
    const Tag d;
    Vec acc[kM][kVectors];
    for (auto& row : acc) {
      for (Vec& part : row) part = hn::Zero(d);
    }
    for (std::size_t i = 0; i < k; ++i) {
      Vec w[kVectors];
      for (std::size_t v = 0; v < kVectors; ++v) w[v] = hn::Load(d, panel + v * kLanes);
      panel += kVectors * kLanes;
      for (std::size_t r = 0; r < kM; ++r) {
        const Vec cell = hn::Set(d, x[r * x_stride + i]);
        for (std::size_t v = 0; v < kVectors; ++v) acc[r][v] = hn::MulAdd(cell, w[v], acc[r][v]);
      }
    }
    for (std::size_t v = 0; v < kVectors; ++v) {
      const std::size_t at = v * kLanes;
      const Vec shift = bias == nullptr ? hn::Zero(d) : load_tail(bias + at, columns - at);
      for (std::size_t r = 0; r < kM; ++r) {
        // Without a bias nothing is added: -0 stays.
        const Vec sum = bias == nullptr ? acc[r][v] : hn::Add(acc[r][v], shift);
        store_tail(sum, y + r * y_stride + at, columns - at);
      }
    }
  }
};

// All rows against one panel, in blocks of nearly equal height: 17 rows are 6 + 6 + 5.
struct RowsByPanel {
  template <std::size_t kVectors>
  static void run(const float* x, std::size_t x_stride, std::size_t m, std::size_t k,
                  const float* panel, const float* bias, std::size_t columns, float* y,
                  std::size_t y_stride) {
    const std::size_t blocks = (m + kRows - 1) / kRows;
    for (std::size_t b = 0, row = 0; b < blocks; ++b) {
      const std::size_t rows = m / blocks + (b < m % blocks ? 1 : 0);
      const float* from = x + row * x_stride;
      float* to = y + row * y_stride;
      with_rows<Block<kVectors>>(rows, from, x_stride, k, panel, bias, columns, to, y_stride);
      row += rows;
    }
  }
};

}  // namespace

std::size_t panels(std::size_t n) { return Panels(n).count(); }

std::size_t packed_size(std::size_t n, std::size_t k) { return Panels(n).vectors * kLanes * k; }

// Panel after panel; in a panel, input after input: its columns, 0 behind the last output.
void pack(const float* w, std::size_t n_stride, std::size_t k_stride, std::size_t n, std::size_t k,
          float* packed) {
  const Panels cut(n);
  for (std::size_t p = 0; p < cut.count(); ++p) {
    const std::size_t first = cut.begin(p) * kLanes;
    const std::size_t width = cut.width(p) * kLanes;
    for (std::size_t i = 0; i < k; ++i) {
      for (std::size_t j = 0; j < width; ++j) {
        *packed++ = first + j < n ? w[(first + j) * n_stride + i * k_stride] : 0.0f;
      }
    }
  }
}

void linear(const float* x, std::size_t x_stride, std::size_t m, std::size_t k, const float* packed,
            std::size_t n, std::size_t panel_begin, std::size_t panel_end, const float* bias,
            float* y, std::size_t y_stride) {
  const Panels cut(n);
  for (std::size_t p = panel_begin; p < panel_end; ++p) {
    const std::size_t first = cut.begin(p) * kLanes;
    const float* panel = packed + first * k;
    const float* panel_bias = bias == nullptr ? nullptr : bias + first;
    with_width<RowsByPanel>(cut.width(p), x, x_stride, m, k, panel, panel_bias, n - first,
                            y + first, y_stride);
  }
}

void add_linear(Table& table) {
  table.panels = panels;
  table.packed_size = packed_size;
  table.pack = pack;
  table.linear = linear;
}

}  // namespace padless::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
