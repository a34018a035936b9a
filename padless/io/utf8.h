#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "padless/core/export.h"

namespace padless {

/// Where the first byte stands that is not well-formed UTF-8 (overlong forms, surrogates and what
/// lies beyond U+10FFFF are not), or text.size() when all of it is.
PADLESS_API std::size_t find_invalid_utf8(std::string_view text);

/// The text in double quotes, fit for one line of an error message: control characters and bytes
/// that are not UTF-8 as \xNN, and no more than about `max_bytes` of it, the cut shown by "...".
PADLESS_API std::string quote(std::string_view text, std::size_t max_bytes = 60);

}  // namespace padless
