// What a mask looks like before anyone has said what it means.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "padless/core/export.h"

namespace padless {

/// Looks at an array of another library: row-major, without gaps. Does not own the cells. It is
/// no mask yet: only a named constructor (KeepMask::from_hf, ...) says what its numbers mean.
class PADLESS_API MaskArray {
 public:
  enum class Element { boolean, u8, i32, i64, f32 };

  /// Throws ShapeError unless `shape` has as many cells as `cells`.
  MaskArray(std::span<const bool> cells, std::vector<std::size_t> shape);
  MaskArray(std::span<const std::uint8_t> cells, std::vector<std::size_t> shape);
  MaskArray(std::span<const std::int32_t> cells, std::vector<std::size_t> shape);
  MaskArray(std::span<const std::int64_t> cells, std::vector<std::size_t> shape);
  MaskArray(std::span<const float> cells, std::vector<std::size_t> shape);

  Element element() const { return element_; }
  /// Bool, or bytes as the older libraries use them for bool.
  bool is_boolean() const { return element_ == Element::boolean || element_ == Element::u8; }
  bool is_integer() const { return element_ == Element::i32 || element_ == Element::i64; }
  bool is_float() const { return element_ == Element::f32; }
  std::size_t rank() const { return shape_.size(); }
  std::size_t dim(std::size_t i) const { return shape_[i]; }
  std::size_t size() const { return size_; }

  /// Cell i as a whole number; for arrays that are not float.
  std::int64_t whole(std::size_t i) const;
  /// Cell i of a float array.
  float number(std::size_t i) const;
  /// Cell i as yes (1) or no (0). Throws ValueError for any other value, in the name of `where`.
  bool yes(std::size_t i, const char* where) const;

  /// For messages: "int64 [2, 3]".
  std::string text() const;
  /// The same, made only when the message is.
  friend std::ostream& operator<<(std::ostream& to, const MaskArray& array) {
    return to << array.text();
  }

 private:
  MaskArray(const void* cells, std::size_t size, Element element, std::vector<std::size_t> shape);

  const void* cells_;
  std::size_t size_;
  Element element_;
  std::vector<std::size_t> shape_;
};

}  // namespace padless
