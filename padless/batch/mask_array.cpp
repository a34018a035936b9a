#include "padless/batch/mask_array.h"

#include <cassert>
#include <limits>
#include <utility>

#include "padless/core/error.h"

namespace padless {
namespace {

const char* name(MaskArray::Element element) {
  switch (element) {
    case MaskArray::Element::boolean:
      return "bool";
    case MaskArray::Element::u8:
      return "uint8";
    case MaskArray::Element::i32:
      return "int32";
    case MaskArray::Element::i64:
      return "int64";
    case MaskArray::Element::f32:
      break;
  }
  return "float";
}

// Whether the shape has exactly `size` cells; the product may not fit in a number.
bool has_cells(const std::vector<std::size_t>& shape, std::size_t size) {
  for (const std::size_t dim : shape) {
    if (dim == 0) return size == 0;
  }
  std::size_t rest = size;
  for (const std::size_t dim : shape) {
    if (rest % dim != 0) return false;
    rest /= dim;
  }
  return rest == 1;
}

}  // namespace

MaskArray::MaskArray(const void* cells, std::size_t size, Element element,
                     std::vector<std::size_t> shape)
    : cells_(cells), size_(size), element_(element), shape_(std::move(shape)) {
  require_shape(has_cells(shape_, size), "MaskArray: ", size, " cells, expected those of ", text());
}
MaskArray::MaskArray(std::span<const bool> cells, std::vector<std::size_t> shape)
    : MaskArray(cells.data(), cells.size(), Element::boolean, std::move(shape)) {}
MaskArray::MaskArray(std::span<const std::uint8_t> cells, std::vector<std::size_t> shape)
    : MaskArray(cells.data(), cells.size(), Element::u8, std::move(shape)) {}
MaskArray::MaskArray(std::span<const std::int32_t> cells, std::vector<std::size_t> shape)
    : MaskArray(cells.data(), cells.size(), Element::i32, std::move(shape)) {}
MaskArray::MaskArray(std::span<const std::int64_t> cells, std::vector<std::size_t> shape)
    : MaskArray(cells.data(), cells.size(), Element::i64, std::move(shape)) {}
MaskArray::MaskArray(std::span<const float> cells, std::vector<std::size_t> shape)
    : MaskArray(cells.data(), cells.size(), Element::f32, std::move(shape)) {}

std::int64_t MaskArray::whole(std::size_t i) const {
  assert(!is_float() && i < size_);
  switch (element_) {
    case Element::i32:
      return static_cast<const std::int32_t*>(cells_)[i];
    case Element::i64:
      return static_cast<const std::int64_t*>(cells_)[i];
    default:
      // A bool from elsewhere may hold any byte; read as bool it would be undefined.
      static_assert(sizeof(bool) == 1);
      return static_cast<const unsigned char*>(cells_)[i];
  }
}

float MaskArray::number(std::size_t i) const {
  assert(is_float() && i < size_);
  return static_cast<const float*>(cells_)[i];
}

bool MaskArray::yes(std::size_t i, const char* where) const {
  if (is_float()) {
    const float value = number(i);
    const bool may_be_added = value < std::numeric_limits<float>::infinity();
    require_value(value == 0 || value == 1, where, ": cell ", i, " of ", *this, " is ", value,
                  ", expected 0 or 1",
                  may_be_added ? " (given [B, H, L, S], or 1 in place of any of them, a mask that "
                                 "is added to scores goes to AdditiveMask::from_additive)"
                               : "");
    return value == 1;
  }
  const std::int64_t value = whole(i);
  require_value(value == 0 || value == 1, where, ": cell ", i, " of ", *this, " is ", value,
                ", expected 0 or 1",
                is_integer() && rank() == 1
                    ? " (lengths go to from_lengths, offsets to from_cu_seqlens)"
                    : "");
  return value == 1;
}

std::string MaskArray::text() const {
  std::string text = message(name(element_), " [");
  for (std::size_t i = 0; i < shape_.size(); ++i) text += message(i == 0 ? "" : ", ", shape_[i]);
  return text + "]";
}

}  // namespace padless
