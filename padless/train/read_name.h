#pragma once

#include <string>

#include "padless/core/error.h"
#include "padless/io/json.h"
#include "padless/train/names.h"

namespace padless {

/// The value whose name stands there. Throws FormatError, listing the names, for another.
template <class Value>
Value read_name(const JsonView& place, const Names<Value>& names) {
  std::string known;
  for (const auto& [value, name] : names) {
    if (place.as_string() == name) return value;
    known += message(known.empty() ? "" : " or ", '"', name, '"');
  }
  place.fail(known);
}

}  // namespace padless
