#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "padless/batch/segments.h"
#include "padless/core/export.h"
#include "padless/core/matrix.h"

namespace padless {

/// The keys and values that one attention layer has made so far of B sequences, each sequence's in
/// memory of its own, so that a sequence grows without the others moving.
class PADLESS_API KeyValueCache {
 public:
  /// `sequences` empty ones, whose rows have `key_width` and `value_width` numbers.
  KeyValueCache(std::size_t sequences, std::size_t key_width, std::size_t value_width);
  /// A copy looks at rows of its own.
  KeyValueCache(const KeyValueCache& other);
  KeyValueCache(KeyValueCache&&) = default;
  KeyValueCache& operator=(const KeyValueCache& other) { return *this = KeyValueCache(other); }
  KeyValueCache& operator=(KeyValueCache&&) = default;
  ~KeyValueCache() = default;

  /// B.
  std::size_t count() const { return entries_.size(); }
  /// Rows of sequence b.
  std::size_t length(std::size_t b) const { return entries_[b].length; }

  /// Appends each sequence's rows of k [T, key_width] and v [T, value_width]. Throws ShapeError
  /// when a shape or the number of sequences differs.
  void append(MatrixView<const float> k, MatrixView<const float> v, const Segments& segs);

  /// Forgets each sequence's rows from lengths[b] on. Throws ShapeError unless there is a length
  /// for each sequence, ValueError for one beyond the rows that it has; nothing is then forgotten.
  void shorten(std::span<const std::size_t> lengths);

  /// Of each sequence, [length, key_width] and [length, value_width]; valid until the cache
  /// changes.
  std::span<const MatrixView<const float>> keys() const { return keys_; }
  std::span<const MatrixView<const float>> values() const { return values_; }

  /// Sequence i becomes what from[i] was; sequences may be left out and repeated, and their number
  /// may change. Only repeated ones are copied. Throws ValueError for a sequence that is not there.
  void reorder(std::span<const std::size_t> from);

 private:
  struct Entry {
    Matrix<float> keys, values;  // of at least `length` rows
    std::size_t length = 0;
  };

  void look();

  std::size_t key_width_, value_width_;
  std::vector<Entry> entries_;
  std::vector<MatrixView<const float>> keys_, values_;
};

}  // namespace padless
