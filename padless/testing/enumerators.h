// For tests: every enumerator of an enum class, asked of the compiler, so that a list of names is
// held against the type and not against itself.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

namespace padless::testing {

/// g++ and clang write a value without an enumerator as a cast, "Value = (padless::Kind)7".
template <auto Value>
constexpr bool is_enumerator() {
  return std::string_view(__PRETTY_FUNCTION__).find("Value = (") == std::string_view::npos;
}

/// Those with values from 0 to 63.
template <class Enum>
std::vector<Enum> enumerators() {
  std::vector<Enum> all;
  const auto add = [&all]<int... kValues>(std::integer_sequence<int, kValues...>) {
    ((is_enumerator<static_cast<Enum>(kValues)>() ? all.push_back(static_cast<Enum>(kValues))
                                                  : void()),
     ...);
  };
  add(std::make_integer_sequence<int, 64>());
  return all;
}

}  // namespace padless::testing
