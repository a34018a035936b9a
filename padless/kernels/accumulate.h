// Sums of rows of one operand, weighted by the other's numbers, that go on from what is there.
// Included once a target.

// NOLINTBEGIN(llvm-header-guard): Highway's guard, which opens again for each target.
#if defined(PADLESS_KERNELS_ACCUMULATE_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PADLESS_KERNELS_ACCUMULATE_H_
#undef PADLESS_KERNELS_ACCUMULATE_H_
#else
#define PADLESS_KERNELS_ACCUMULATE_H_
#endif
// NOLINTEND(llvm-header-guard)

#include "padless/kernels/panels.h"

HWY_BEFORE_NAMESPACE();
namespace padless::kernels::HWY_NAMESPACE {

/// Weights a[t * step + row * row_step] of `terms` rows b[t].
struct Weighted {
  const float* a;
  std::size_t step, row_step;
  const float* b;
  std::size_t b_stride, terms;
};

/// out[r, c] = chain over t, from out[r, c], of fma(a, b[t, c], .), for kM rows and the columns of
/// kVectors vectors.
template <std::size_t kVectors>
struct AccumulateTile {
  template <std::size_t kM>
  static HWY_INLINE void run(const Weighted& from, std::size_t columns, float* out,
                             std::size_t out_stride) {
    const Tag d;
    constexpr std::size_t kLast = (kVectors - 1) * kLanes;
    Vec acc[kM][kVectors];
    for (std::size_t r = 0; r < kM; ++r) {
      for (std::size_t v = 0; v < kVectors; ++v) {
        acc[r][v] = load_tail(out + r * out_stride + v * kLanes, columns - v * kLanes);
      }
    }
    const float* a = from.a;
    const float* b = from.b;
    for (std::size_t t = 0; t < from.terms; ++t, a += from.step, b += from.b_stride) {
      Vec cells[kVectors];
      for (std::size_t v = 0; v + 1 < kVectors; ++v) cells[v] = hn::LoadU(d, b + v * kLanes);
      cells[kVectors - 1] = load_tail(b + kLast, columns - kLast);
      for (std::size_t r = 0; r < kM; ++r) {
        const Vec weight = hn::Set(d, a[r * from.row_step]);
        for (std::size_t v = 0; v < kVectors; ++v) {
          acc[r][v] = hn::MulAdd(weight, cells[v], acc[r][v]);
        }
      }
    }
    for (std::size_t r = 0; r < kM; ++r) {
      for (std::size_t v = 0; v < kVectors; ++v) {
        store_tail(acc[r][v], out + r * out_stride + v * kLanes, columns - v * kLanes);
      }
    }
  }
};

struct AccumulatePanel {
  template <std::size_t kVectors>
  static void run(Weighted from, std::size_t rows, std::size_t columns, float* out,
                  std::size_t out_stride) {
    const std::size_t tiles = (rows + kRows - 1) / kRows;
    for (std::size_t i = 0; i < tiles; ++i) {
      const std::size_t height = rows / tiles + (i < rows % tiles ? 1 : 0);
      with_rows<AccumulateTile<kVectors>>(height, from, columns, out, out_stride);
      from.a += height * from.row_step;
      out += height * out_stride;
    }
  }
};

/// out[r, c] = chain over t, from out[r, c], of fma(a, b[t, c], .). out [rows, cols].
HWY_INLINE void accumulate(const Weighted& from, std::size_t rows, std::size_t cols, float* out,
                           std::size_t out_stride) {
  const Panels cut(cols);
  for (std::size_t p = 0; p < cut.count(); ++p) {
    const std::size_t first = cut.begin(p) * kLanes;
    Weighted panel = from;
    panel.b += first;
    with_width<AccumulatePanel>(cut.width(p), panel, rows, cols - first, out + first, out_stride);
  }
}

}  // namespace padless::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
