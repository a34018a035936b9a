// A row of a table for each position in a sequence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "padless/batch/segments.h"
#include "padless/batch/shards.h"
#include "padless/core/math.h"
#include "padless/core/matrix.h"
#include "padless/reference/embedding.h"

namespace padless::reference {

/// The position of every row in its own sequence, counted from first[b] (from 0 where `first` is
/// empty).
inline std::vector<std::int32_t> positions_of(const Segments& segs,
                                              std::span<const std::size_t> first) {
  std::vector<std::int32_t> positions;
  for (std::size_t b = 0; b < segs.count(); ++b) {
    for (std::size_t t = 0; t < segs.length(b); ++t) {
      positions.push_back(static_cast<std::int32_t>((first.empty() ? 0 : first[b]) + t));
    }
  }
  return positions;
}

/// y[t] = x[t] + table[position of t]. table [P, C], x [T, C], y [T, C] written.
template <class Real>
void position_embedding_forward(MatrixView<const Real> table, const Segments& segs,
                                std::span<const std::size_t> first, MatrixView<const Real> x,
                                MatrixView<Real> y) {
  const std::vector<std::int32_t> positions = positions_of(segs, first);
  for (std::size_t t = 0; t < x.rows(); ++t) {
    for (std::size_t c = 0; c < x.cols(); ++c) {
      y(t, c) = x(t, c) + table(static_cast<std::size_t>(positions[t]), c);
    }
  }
}

/// d_table[p] += the sum of d_y[t] over the rows t at position p, as an embedding's: shards over
/// rows; a position that no row has stays as it is. d_y [T, C], d_table [P, C] added to.
template <class Real>
void position_embedding_backward(const Segments& segs, std::span<const std::size_t> first,
                                 MatrixView<const Real> d_y, const Shards& shards,
                                 MatrixView<Real> d_table) {
  embedding_backward<Real>(positions_of(segs, first), d_y, shards, d_table);
}

/// table[p, 2i] = sin(a), table[p, 2i + 1] = cos(a), a = p * 10000^(-2i / C), in double and rounded
/// once. table [P, C] written.
template <class Real>
void sinusoidal_positions(MatrixView<Real> table) {
  for (std::size_t c = 0; c < table.cols(); ++c) {
    const double part = static_cast<double>(c - c % 2) / static_cast<double>(table.cols());
    const double frequency = padless::math::pow(10000, -part);
    for (std::size_t p = 0; p < table.rows(); ++p) {
      const double angle = static_cast<double>(p) * frequency;
      const double value = c % 2 == 0 ? padless::math::sin(angle) : padless::math::cos(angle);
      table(p, c) = static_cast<Real>(value);
    }
  }
}

}  // namespace padless::reference
