// Rotary positions: one row, its angles' cosines and signed sines given by column.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "padless/kernels/rope.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.h, which includes this file once a target:
#include "padless/kernels/kernels.h"
#include "padless/kernels/simd.h"

HWY_BEFORE_NAMESPACE();
namespace padless::kernels::HWY_NAMESPACE {
namespace {

HWY_INLINE void interleaved(const float* x, const float* cos, const float* sin, std::size_t width,
                            Vec sign, float* y) {
  for (std::size_t j = 0; j < width; j += kLanes) {
    const std::size_t left = width - j;
    const Vec cells = load_tail(x + j, left);
    // The width is even: no pair stands across two vectors.
    const Vec turned = hn::Mul(hn::Shuffle2301(cells), hn::Mul(load_tail(sin + j, left), sign));
    store_tail(hn::MulAdd(cells, load_tail(cos + j, left), turned), y + j, left);
  }
}

HWY_INLINE void halves(const float* x, const float* cos, const float* sin, std::size_t width,
                       Vec sign, float* y) {
  const std::size_t half = width / 2;
  for (std::size_t j = 0; j < half; j += kLanes) {
    const std::size_t left = half - j;
    const Vec a = load_tail(x + j, left), b = load_tail(x + half + j, left);
    const Vec turned_a = hn::Mul(b, hn::Mul(load_tail(sin + j, left), sign));
    const Vec turned_b = hn::Mul(a, hn::Mul(load_tail(sin + half + j, left), sign));
    store_tail(hn::MulAdd(a, load_tail(cos + j, left), turned_a), y + j, left);
    store_tail(hn::MulAdd(b, load_tail(cos + half + j, left), turned_b), y + half + j, left);
  }
}

void rope(const float* x, const float* cos, const float* sin, std::size_t heads,
          std::size_t head_width, std::size_t width, RotaryPairing pairing, bool back, float* y) {
  const Vec sign = hn::Set(Tag(), back ? -1.0f : 1.0f);
  for (std::size_t h = 0; h < heads; ++h) {
    const float* from = x + h * head_width;
    float* to = y + h * head_width;
    if (pairing == RotaryPairing::interleaved) {
      interleaved(from, cos, sin, width, sign, to);
    } else {
      halves(from, cos, sin, width, sign, to);
    }
    for (std::size_t j = width; j < head_width; ++j) to[j] = from[j];
  }
}

}  // namespace

void add_rope(Table& table) { table.rope = rope; }

}  // namespace padless::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
