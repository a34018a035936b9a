// Which keys a query may see by its position alone, as bounds: no mask is ever written out.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>

#include "padless/batch/segments.h"
#include "padless/core/export.h"

namespace padless {

/// Where query 0 stands among the keys when there are not as many queries as keys.
enum class Align {
  top_left,      ///< query 0 stands on key 0
  bottom_right,  ///< the last query stands on the last key of the sequence's own length
};

/// All keys, keys up to the query, keys near the query, or what several of these have in common.
/// Lengths are those of one sequence, never a padded width.
class PADLESS_API Attend {
 public:
  /// No bound on this side of a window.
  static constexpr std::size_t kUnbounded = std::numeric_limits<std::size_t>::max();

  /// Every key.
  static Attend full() { return Attend(kUnbounded, kUnbounded, std::nullopt); }
  /// Keys up to the query's own place; without `align` for equal lengths only.
  static Attend causal(std::optional<Align> align = std::nullopt) {
    return Attend(kUnbounded, 0, align);
  }
  /// Keys from `left` before the query's place to `right` after it, both included; without
  /// `align` for equal lengths only.
  static Attend window(std::size_t left, std::size_t right,
                       std::optional<Align> align = std::nullopt) {
    return Attend(left, right, align);
  }

  /// The keys that both allow: causal() & window(64, 64). Throws ValueError when both have bounds
  /// and their alignments differ.
  Attend operator&(const Attend& other) const;

  /// The bounds of one sequence, for all its queries.
  class Bounds {
   public:
    /// The keys that query i may see: [begin, end) of the sequence's keys, perhaps empty.
    Segments::Rows operator[](std::size_t i) const {
      const std::ptrdiff_t begin = std::clamp(place(i) - left_, std::ptrdiff_t{0}, keys_);
      const std::ptrdiff_t end = std::clamp(place(i) + right_ + 1, begin, keys_);
      return {static_cast<std::size_t>(begin), static_cast<std::size_t>(end)};
    }
    /// The key on which query i stands; before the first or behind the last where there is none.
    std::ptrdiff_t place(std::size_t i) const { return static_cast<std::ptrdiff_t>(i) + shift_; }

   private:
    friend class Attend;
    // Query i stands on key i + shift_.
    std::ptrdiff_t shift_ = 0, left_ = 0, right_ = 0, keys_ = 0;
  };

  /// Throws ShapeError when the lengths differ and no alignment was given.
  Bounds bounds(std::size_t queries, std::size_t keys) const;

  bool is_full() const { return left_ == kUnbounded && right_ == kUnbounded; }
  std::size_t left() const { return left_; }
  std::size_t right() const { return right_; }
  std::optional<Align> align() const { return align_; }

  friend bool operator==(const Attend&, const Attend&) = default;

 private:
  Attend(std::size_t left, std::size_t right, std::optional<Align> align)
      : left_(left), right_(right), align_(align) {}

  std::size_t left_, right_;
  std::optional<Align> align_;
};

}  // namespace padless
