#pragma once

#include <string>
#include <string_view>

#include "padless/core/export.h"

namespace padless {

/// Adds the lower case of a word to `out`: Unicode's full default mapping, version 15.0.0, of no
/// language in particular (İ becomes i and a combining dot). A capital sigma becomes a final sigma
/// where Unicode's condition Final_Sigma holds in the word, of which alone the result is a
/// function: a cased letter before it and none after it, where case-ignorable characters are
/// stepped over, those that are cased too included. Malformed bytes become U+FFFD, so what is added
/// is UTF-8.
PADLESS_API void append_lower_case(std::string& out, std::string_view word);

/// The same as a string of its own.
PADLESS_API std::string lower_case(std::string_view word);

}  // namespace padless
