#include "padless/layers/key_value_cache.h"

#include <algorithm>
#include <utility>

#include "padless/core/error.h"

namespace padless {
namespace {

constexpr std::size_t kFirstRows = 16;

// Makes room for `rows` rows; memory doubles, so that a row is moved twice at most on average.
void reserve(Matrix<float>& matrix, std::size_t used, std::size_t rows, std::size_t cols) {
  if (rows <= matrix.rows()) return;
  Matrix<float> grown(std::max({rows, 2 * matrix.rows(), kFirstRows}), cols);
  std::copy_n(std::as_const(matrix).data(), used * cols, grown.data());
  matrix = std::move(grown);
}

void append_rows(Matrix<float>& matrix, std::size_t used, MatrixView<const float> rows) {
  reserve(matrix, used, used + rows.rows(), rows.cols());
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    std::ranges::copy(rows.row(r), matrix.row(used + r).begin());
  }
}

void require_rows(const char* name, MatrixView<const float> rows, const Segments& segs,
                  std::size_t width) {
  require_shape(rows.rows() == segs.total() && rows.cols() == width, "KeyValueCache: ", name,
                " is [", rows.rows(), ", ", rows.cols(), "], expected [", segs.total(), ", ", width,
                "]");
}

}  // namespace

KeyValueCache::KeyValueCache(std::size_t sequences, std::size_t key_width, std::size_t value_width)
    : key_width_(key_width), value_width_(value_width), entries_(sequences) {
  look();
}

KeyValueCache::KeyValueCache(const KeyValueCache& other)
    : key_width_(other.key_width_), value_width_(other.value_width_), entries_(other.entries_) {
  look();
}

void KeyValueCache::append(MatrixView<const float> k, MatrixView<const float> v,
                           const Segments& segs) {
  require_shape(segs.count() == count(), "KeyValueCache: there are rows of ", segs.count(),
                " sequences, expected ", count());
  require_rows("k", k, segs, key_width_);
  require_rows("v", v, segs, value_width_);
  for (std::size_t b = 0; b < count(); ++b) {
    Entry& entry = entries_[b];
    append_rows(entry.keys, entry.length, k.rows_at(segs[b].begin, segs.length(b)));
    append_rows(entry.values, entry.length, v.rows_at(segs[b].begin, segs.length(b)));
    entry.length += segs.length(b);
  }
  look();
}

void KeyValueCache::shorten(std::span<const std::size_t> lengths) {
  require_shape(lengths.size() == count(), "KeyValueCache: there are ", lengths.size(),
                " lengths, expected ", count());
  for (std::size_t b = 0; b < count(); ++b) {
    require_value(lengths[b] <= length(b), "KeyValueCache: sequence ", b, " is to keep ",
                  lengths[b], " rows, expected at most the ", length(b), " it has");
  }
  for (std::size_t b = 0; b < count(); ++b) entries_[b].length = lengths[b];
  look();
}

void KeyValueCache::reorder(std::span<const std::size_t> from) {
  std::vector<std::size_t> uses(count(), 0);
  for (const std::size_t b : from) {
    require_value(b < count(), "KeyValueCache: sequence ", b, " is asked for, expected less than ",
                  count());
    ++uses[b];
  }
  std::vector<Entry> chosen;
  chosen.reserve(from.size());
  for (const std::size_t b : from) {
    // The last to ask gets the rows themselves.
    if (--uses[b] == 0) {
      chosen.push_back(std::move(entries_[b]));
    } else {
      chosen.push_back(entries_[b]);
    }
  }
  entries_ = std::move(chosen);
  look();
}

void KeyValueCache::look() {
  keys_.clear();
  values_.clear();
  keys_.reserve(count());
  values_.reserve(count());
  for (const Entry& entry : entries_) {
    keys_.emplace_back(entry.keys.data(), entry.length, key_width_);
    values_.emplace_back(entry.values.data(), entry.length, value_width_);
  }
}

}  // namespace padless
