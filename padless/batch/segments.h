#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "padless/core/export.h"

namespace padless {

/// B sequences end to end in T rows, told by B + 1 offsets: the first is 0, they never decrease,
/// the last is T. Sequences of no rows are legal, and so is a batch of no sequences. Checked once,
/// when built.
class PADLESS_API Segments {
 public:
  /// The rows [begin, end) of one sequence.
  struct Rows {
    std::size_t begin = 0;
    std::size_t end = 0;

    std::size_t size() const { return end - begin; }
    bool empty() const { return begin == end; }
  };

  /// No sequence.
  Segments() = default;

  /// Sequences of these lengths, one after the other. Throws ValueError for a negative length or
  /// a sum beyond the range of std::ptrdiff_t.
  static Segments from_lengths(std::span<const std::size_t> lengths);
  static Segments from_lengths(std::span<const std::int32_t> lengths);
  static Segments from_lengths(std::span<const std::int64_t> lengths);

  /// By offsets ("cu_seqlens"): B + 1 of them, or none for a batch of no sequences.
  /// Throws ValueError when they do not begin at 0, decrease, or do not end at `total`.
  static Segments from_offsets(std::span<const std::size_t> offsets, std::size_t total);
  static Segments from_offsets(std::span<const std::int32_t> offsets, std::size_t total);
  static Segments from_offsets(std::span<const std::int64_t> offsets, std::size_t total);

  /// B.
  std::size_t count() const { return offsets_.size() - 1; }
  /// T.
  std::size_t total() const { return offsets_.back(); }
  Rows operator[](std::size_t b) const { return {offsets_[b], offsets_[b + 1]}; }
  std::size_t length(std::size_t b) const { return offsets_[b + 1] - offsets_[b]; }
  /// The length of the longest sequence; 0 when there is none.
  std::size_t longest() const;
  std::span<const std::size_t> offsets() const { return offsets_; }
  /// The sequence to which row t < total() belongs, in O(log B).
  std::size_t sequence_of(std::size_t t) const;

  friend bool operator==(const Segments&, const Segments&) = default;

 private:
  template <class Integer>
  static Segments checked_lengths(std::span<const Integer> lengths);
  template <class Integer>
  static Segments checked_offsets(std::span<const Integer> offsets, std::size_t total);

  std::vector<std::size_t> offsets_ = {0};
};

}  // namespace padless
