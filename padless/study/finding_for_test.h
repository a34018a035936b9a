// What the tests of findings look up in them.
#pragma once

#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "padless/study/finding.h"

namespace padless::study {

/// A member of an object. Throws std::out_of_range where there is none.
inline const Json& member(const Json& object, std::string_view key) {
  for (const auto& [name, value] : *object.get_if<Json::Object>()) {
    if (name == key) return value;
  }
  throw std::out_of_range("no key " + std::string(key));
}

/// Null is NaN.
inline double as_number(const Json& value) {
  if (const auto* whole = value.get_if<std::int64_t>()) return static_cast<double>(*whole);
  if (const auto* single = value.get_if<float>()) return static_cast<double>(*single);
  return value.is_null() ? std::nan("") : *value.get_if<double>();
}

/// A member of an object as a number, as numbers, as yes or no, as texts. They throw as member.
inline double number(const Json& object, std::string_view key) {
  return as_number(member(object, key));
}

inline std::vector<double> numbers(const Json& object, std::string_view key) {
  std::vector<double> out;
  for (const Json& cell : *member(object, key).get_if<Json::Array>()) {
    out.push_back(as_number(cell));
  }
  return out;
}

inline bool yes(const Json& object, std::string_view key) {
  return *member(object, key).get_if<bool>();
}

inline std::vector<std::string> texts(const Json& object, std::string_view key) {
  std::vector<std::string> out;
  for (const Json& cell : *member(object, key).get_if<Json::Array>()) {
    out.push_back(*cell.get_if<std::string>());
  }
  return out;
}

/// As the truth is printed.
inline std::vector<double> four_decimals(std::vector<double> values) {
  for (double& value : values) value = std::round(value * 1e4) / 1e4;
  return values;
}

/// The finding as a part of a page.
inline std::string shown(const Finding& finding) {
  return "<main>" + finding.blocks.html() + "</main>";
}

}  // namespace padless::study
