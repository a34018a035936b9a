// UTF-8 that may be broken, read one character at a time, and how wide a character is drawn.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace padless::viz {

/// One character at the front of a text.
struct Character {
  char32_t code = 0;      ///< U+FFFD when not valid
  std::size_t bytes = 0;  ///< how many bytes it takes, at least 1
  bool valid = false;     ///< false: a byte that is not UTF-8 (overlong, surrogate, cut off, ...)
};

/// The first character of `text`, which must not be empty. A broken byte is one invalid character.
Character first_character(std::string_view text);

/// `code` in UTF-8.
std::string to_utf8(char32_t code);

/// Columns that a character takes on a terminal: 0 for combining marks and joiners, 2 for East
/// Asian wide characters and emoji, otherwise 1. An estimate by blocks, good enough to lay out
/// labels.
std::size_t columns_of(char32_t code);

/// Columns of a whole text.
std::size_t columns_of(std::string_view text);

/// Control characters, and the format characters that reorder or hide text (bidirectional controls,
/// zero width space, byte order mark, tags): what a reader must see, and a terminal must not.
bool is_control(char32_t code);

}  // namespace padless::viz
