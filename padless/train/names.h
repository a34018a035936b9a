#pragma once

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace padless {

/// The values of a choice and their names in files and on the command line.
template <class Value>
using Names = std::vector<std::pair<Value, std::string_view>>;

template <class Value>
std::string_view name_of(const Names<Value>& names, Value value) {
  const auto found = std::ranges::find(names, value, &std::pair<Value, std::string_view>::first);
  return found == names.end() ? std::string_view("none of these") : found->second;
}

}  // namespace padless
