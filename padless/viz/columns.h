// How wide a text is drawn on a terminal.
#pragma once

#include <cstddef>
#include <string_view>

namespace padless::viz {

/// Columns that a character takes on a terminal: 0 for combining marks and joiners, 2 for East
/// Asian wide characters and emoji, otherwise 1. An estimate by blocks, good enough to lay out
/// labels.
std::size_t columns_of(char32_t code);

/// Columns of a whole text; what is not UTF-8 in it counts as U+FFFD.
std::size_t columns_of(std::string_view text);

}  // namespace padless::viz
