#include "padless/batch/pack.h"

#include <algorithm>
#include <limits>

#include "padless/core/error.h"

namespace padless {
namespace {

template <class T>
void require_shapes(const char* where, MatrixView<const T> padded, const Packing& packing,
                    MatrixView<const T> rows) {
  require_shape(padded.rows() == packing.padded_rows(), where, ": padded has ", padded.rows(),
                " rows, expected ", packing.padded_rows(), " (", packing.segments().count(),
                " sequences of ", packing.slots(), " slots)");
  require_shape(rows.rows() == packing.segments().total(), where, ": rows has ", rows.rows(),
                " rows, expected ", packing.segments().total(), " (the sum of ",
                packing.segments().count(), " lengths)");
  require_shape(padded.cols() == rows.cols(), where, ": padded is ", padded.cols(),
                " wide, expected ", rows.cols(), " (the width of rows)");
}

template <class T>
void take(MatrixView<const T> padded, const Packing& packing, MatrixView<T> rows) {
  require_shapes<T>("pack", padded, packing, rows);
  for (std::size_t t = 0; t < rows.rows(); ++t) {
    std::ranges::copy(padded.row(packing.places()[t]), rows.row(t).begin());
  }
}

template <class T>
void put(MatrixView<const T> rows, const Packing& packing, T pad, MatrixView<T> padded) {
  require_shapes<T>("unpack", padded, packing, rows);
  std::size_t next = 0;
  for (std::size_t t = 0; t < rows.rows(); ++t) {
    const std::size_t place = packing.places()[t];
    fill(padded.rows_at(next, place - next), pad);
    std::ranges::copy(rows.row(t), padded.row(place).begin());
    next = place + 1;
  }
  fill(padded.rows_at(next, padded.rows() - next), pad);
}

// Ids as a matrix of one column.
template <class T>
MatrixView<T> column(std::span<T> ids) {
  return {ids.data(), ids.size(), 1};
}

}  // namespace

Packing::Packing(const Segments& segs, std::size_t slots, PadSide side)
    : segs_(segs), slots_(slots) {
  require_value(slots == 0 || segs.count() <= std::numeric_limits<std::size_t>::max() / slots,
                "Packing: ", segs.count(), " sequences of ", slots,
                " slots are more than memory can hold");
  places_.reserve(segs.total());
  for (std::size_t b = 0; b < segs.count(); ++b) {
    const std::size_t length = segs.length(b);
    require_value(length <= slots, "Packing: length ", b, " is ", length, ", expected at most ",
                  slots, " (the number of slots)");
    const std::size_t first = b * slots + (side == PadSide::left ? slots - length : 0);
    for (std::size_t i = 0; i < length; ++i) places_.push_back(first + i);
  }
}

Packing::Packing(const KeepMask& mask) : segs_(mask.key_lengths()), slots_(mask.sizes().keys) {
  places_.reserve(segs_.total());
  for (std::size_t b = 0; b < segs_.count(); ++b) {
    const std::span<const std::uint8_t> row = mask.row(b, 0, 0);
    for (std::size_t n = 0; n < slots_; ++n) {
      if (row[n] != 0) places_.push_back(b * slots_ + n);
    }
  }
}

void pack(MatrixView<const float> padded, const Packing& packing, MatrixView<float> rows) {
  take(padded, packing, rows);
}
void pack(std::span<const std::int32_t> padded, const Packing& packing,
          std::span<std::int32_t> rows) {
  take(column(padded), packing, column(rows));
}
void pack(std::span<const std::int64_t> padded, const Packing& packing,
          std::span<std::int64_t> rows) {
  take(column(padded), packing, column(rows));
}

void unpack(MatrixView<const float> rows, const Packing& packing, float pad,
            MatrixView<float> padded) {
  put(rows, packing, pad, padded);
}
void unpack(std::span<const std::int32_t> rows, const Packing& packing, std::int32_t pad,
            std::span<std::int32_t> padded) {
  put(column(rows), packing, pad, column(padded));
}
void unpack(std::span<const std::int64_t> rows, const Packing& packing, std::int64_t pad,
            std::span<std::int64_t> padded) {
  put(column(rows), packing, pad, column(padded));
}

}  // namespace padless
