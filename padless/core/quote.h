// Strangers' text made fit to be shown in a line.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "padless/core/export.h"
#include "padless/core/utf8.h"

namespace padless {

/// Control characters, and the format characters that reorder or hide text (bidirectional controls,
/// zero width space, byte order mark, tags): what a reader must see, and a terminal must not.
PADLESS_API bool is_control(char32_t code_point);

/// The character that decode_utf8 gave for text[at], harmless and visible: control characters as
/// \x1b or \u{202e}, bytes that are not UTF-8 as \xff, and any other as itself.
PADLESS_API std::string visible(std::string_view text, std::size_t at,
                                const DecodedCharacter& character);

/// The text in double quotes, fit for one line of an error message: every character visible, and
/// no more than about `max_bytes` of it, the cut shown by "...".
PADLESS_API std::string quote(std::string_view text, std::size_t max_bytes = 60);

}  // namespace padless
