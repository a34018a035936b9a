// Rotary positions: pairs of columns of each head turned by an angle that grows with the position.
// Source: Su et al., "RoFormer: enhanced transformer with rotary position embedding" (2021),
// equations 15 and 34.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "padless/batch/segments.h"
#include "padless/core/math.h"
#include "padless/core/matrix.h"
#include "padless/core/rotary_pairing.h"
#include "padless/reference/math.h"

namespace padless::reference {

/// The angle by which pair i of `width` columns is turned at a position: position * base^(-2i /
/// width), in double.
inline double rotary_angle(std::size_t position, std::size_t i, std::size_t width, double base) {
  const double part = 2 * static_cast<double>(i) / static_cast<double>(width);
  return static_cast<double>(position) * padless::math::pow(base, -part);
}

/// The columns of pair i.
struct RotaryPair {
  std::size_t a, b;

  RotaryPair(std::size_t i, std::size_t width, RotaryPairing pairing)
      : a(pairing == RotaryPairing::interleaved ? 2 * i : i),
        b(pairing == RotaryPairing::interleaved ? 2 * i + 1 : i + width / 2) {}
};

/// One row: in each head's first `width` columns, pairs (a, b) become (a cos - b sin, b cos + a
/// sin), or are turned back; the others stay. cos and sin [width] by column: sin has the sign with
/// which the partner is added, -sin for an a. x, y [heads * head_width]; y may be x.
template <class Real>
void rope(const Real* x, const Real* cos, const Real* sin, std::size_t heads,
          std::size_t head_width, std::size_t width, RotaryPairing pairing, bool back, Real* y) {
  const Real sign(back ? -1.0f : 1.0f);
  for (std::size_t h = 0; h < heads; ++h) {
    const Real* from = x + h * head_width;
    Real* to = y + h * head_width;
    for (std::size_t i = 0; i < width / 2; ++i) {
      const auto [a, b] = RotaryPair(i, width, pairing);
      const Real before_a = from[a], before_b = from[b];
      to[a] = math::fma(before_a, cos[a], before_b * (sin[a] * sign));
      to[b] = math::fma(before_b, cos[b], before_a * (sin[b] * sign));
    }
    for (std::size_t c = width; c < head_width; ++c) to[c] = from[c];
  }
}

/// Every row at its position in its sequence, counted from first[b] (from 0 where `first` is
/// empty). x [T, heads * D], y likewise, written.
template <class Real>
void rope(MatrixView<const Real> x, const Segments& segs, std::span<const std::size_t> first,
          std::size_t heads, std::size_t width, RotaryPairing pairing, double base, bool back,
          MatrixView<Real> y) {
  std::vector<Real> cos(width), sin(width);
  for (std::size_t b = 0; b < segs.count(); ++b) {
    const auto [begin, end] = segs[b];
    for (std::size_t t = begin; t < end; ++t) {
      const std::size_t position = (first.empty() ? 0 : first[b]) + (t - begin);
      for (std::size_t i = 0; i < width / 2; ++i) {
        const RotaryPair pair(i, width, pairing);
        const double angle = rotary_angle(position, i, width, base);
        cos[pair.a] = cos[pair.b] = static_cast<Real>(padless::math::cos(angle));
        sin[pair.b] = static_cast<Real>(padless::math::sin(angle));
        sin[pair.a] = -sin[pair.b];
      }
      rope(x.row(t).data(), cos.data(), sin.data(), heads, x.cols() / heads, width, pairing, back,
           y.row(t).data());
    }
  }
}

}  // namespace padless::reference
