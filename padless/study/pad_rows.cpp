#include "padless/study/pad_rows.h"

#include <algorithm>
#include <vector>

#include "padless/core/error.h"

namespace padless::study {
namespace {

void check(const char* where, const Segments& segs, const Segments& padded,
           MatrixView<const float> real_rows, MatrixView<const float> padded_rows) {
  require_shape(segs.count() == padded.count(), where, ": there are ", segs.count(),
                " sequences and ", padded.count(), " padded ones, expected as many");
  for (std::size_t b = 0; b < segs.count(); ++b) {
    require_shape(segs.length(b) <= padded.length(b), where, ": sequence ", b, " has ",
                  segs.length(b), " rows, expected at most ", padded.length(b));
  }
  require_shape(real_rows.rows() == segs.total() && padded_rows.rows() == padded.total() &&
                    real_rows.cols() == padded_rows.cols(),
                where, ": the rows are [", real_rows.rows(), ", ", real_rows.cols(), "] and [",
                padded_rows.rows(), ", ", padded_rows.cols(), "], expected ", segs.total(), " and ",
                padded.total(), " rows of one width");
}

}  // namespace

Segments padded_to_longest(const Segments& segs) {
  const std::vector<std::size_t> lengths(segs.count(), segs.longest());
  return Segments::from_lengths(std::span<const std::size_t>(lengths));
}

void pad_rows(Runtime& runtime, MatrixView<const float> rows, const Segments& segs,
              const Segments& padded, MatrixView<float> out) {
  check("pad_rows", segs, padded, rows, out);
  runtime.parallel_for(segs.count(), [&](std::size_t b) {
    for (std::size_t i = 0; i < padded.length(b); ++i) {
      const std::span<float> to = out.row(padded[b].begin + i);
      if (i < segs.length(b)) {
        std::ranges::copy(rows.row(segs[b].begin + i), to.begin());
      } else {
        std::ranges::fill(to, 0.0f);
      }
    }
  });
}

void unpad_rows(Runtime& runtime, MatrixView<const float> rows, const Segments& segs,
                const Segments& padded, MatrixView<float> out) {
  check("unpad_rows", segs, padded, out, rows);
  runtime.parallel_for(segs.count(), [&](std::size_t b) {
    for (std::size_t i = 0; i < segs.length(b); ++i) {
      std::ranges::copy(rows.row(padded[b].begin + i), out.row(segs[b].begin + i).begin());
    }
  });
}

}  // namespace padless::study
