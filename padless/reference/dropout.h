// Dropout: a number is kept or not by the bits of a counter-based generator, so that the mask
// belongs to a document's row and column, not to a place in a batch.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "padless/batch/segments.h"
#include "padless/core/matrix.h"
#include "padless/core/rng.h"
#include "padless/reference/math.h"

namespace padless::reference {

/// Row `row` of document `document`: out[c] = x[c] * scale where the column's 16 bits are at least
/// `threshold`, else +0; scale = 1 / (1 - threshold / 65536). Columns come in blocks of eight: the
/// block's philox counter is (low 32 bits of the document, row, `head` < 2^16 in the low half and
/// bits 32 to 47 of the document in the high half, block), and column i of a block takes the low (i
/// even) or high (i odd) half of word i / 2. x [cols], out [cols] written; may be x.
template <class Real>
void dropout(const Real* x, std::size_t cols, std::uint32_t threshold, const std::uint32_t* key,
             std::uint64_t document, std::uint32_t row, std::uint32_t head, Real* out) {
  const Real share = Real(static_cast<float>(threshold) / 65536);
  const Real scale = Real(1) / (Real(1) - share);
  const auto low = static_cast<std::uint32_t>(document);
  const auto high = static_cast<std::uint32_t>(document >> 32 << 16) | head;
  for (std::size_t c = 0; c < cols; c += 8) {
    const auto words =
        philox({low, row, high, static_cast<std::uint32_t>(c / 8)}, {key[0], key[1]});
    for (std::size_t i = 0; i < 8 && c + i < cols; ++i) {
      const std::uint32_t bits = i % 2 == 0 ? words[i / 2] & 0xffff : words[i / 2] >> 16;
      out[c + i] = bits >= threshold ? x[c + i] * scale : Real(0);
    }
  }
}

/// x [T, C], out [T, C] written; `documents` gives each document its rows, `numbers` its number.
template <class Real>
void dropout(MatrixView<const Real> x, std::uint32_t threshold, std::array<std::uint32_t, 2> key,
             const Segments& documents, std::span<const std::uint64_t> numbers,
             MatrixView<Real> out) {
  for (std::size_t b = 0; b < documents.count(); ++b) {
    const auto [begin, end] = documents[b];
    for (std::size_t t = begin; t < end; ++t) {
      dropout(x.row(t).data(), x.cols(), threshold, key.data(), numbers[b],
              static_cast<std::uint32_t>(t - begin), 0, out.row(t).data());
    }
  }
}

}  // namespace padless::reference
