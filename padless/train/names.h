#pragma once

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "padless/core/error.h"

namespace padless {

/// The values of a choice and their names in files and on the command line.
template <class Value>
using Names = std::vector<std::pair<Value, std::string_view>>;

/// Throws ValueError for a value without a name: a file with another word in its place could not be
/// read again.
template <class Value>
std::string_view name_of(const Names<Value>& names, Value value) {
  const auto found = std::ranges::find(names, value, &std::pair<Value, std::string_view>::first);
  require_value(found != names.end(), "name_of: value ", static_cast<long long>(value),
                " has no name, expected one of the ", names.size(), " that have");
  return found->second;
}

}  // namespace padless
