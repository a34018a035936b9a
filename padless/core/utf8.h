// UTF-8 to code points and back. Any bytes are a text: those that are not UTF-8 count as U+FFFD.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "padless/core/export.h"

namespace padless {

/// What malformed bytes are read as.
inline constexpr char32_t kReplacementCharacter = 0xFFFD;

/// One code point of a text and the bytes it takes there.
struct DecodedCharacter {
  char32_t code_point;
  std::uint32_t size;  ///< in bytes, at least 1
  bool is_malformed;   ///< the bytes are not UTF-8 and code_point is U+FFFD
};

/// The code point at text[at] outside ASCII; at < text.size(). See decode_utf8.
PADLESS_API DecodedCharacter decode_utf8_beyond_ascii(std::string_view text, std::size_t at);

/// The code point that begins at text[at]; at < text.size(). Malformed bytes are U+FFFD, one for
/// each maximal subpart (the Unicode Standard, 3.9, U+FFFD Substitution of Maximal Subparts): the
/// longest start of a well-formed sequence, or else one byte. Surrogates, overlong forms and what
/// is above U+10FFFF are malformed. Never looks at or beyond text.size().
inline DecodedCharacter decode_utf8(std::string_view text, std::size_t at) {
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte < 0x80) return {byte, 1, false};
  return decode_utf8_beyond_ascii(text, at);
}

/// Adds the UTF-8 of a code point, which is no surrogate and at most U+10FFFF.
PADLESS_API void append_utf8(std::string& out, char32_t code_point);

/// Adds a text with U+FFFD in place of what is malformed in it.
PADLESS_API void append_well_formed(std::string& out, std::string_view text);

/// Where the first malformed byte is, if there is one.
PADLESS_API std::optional<std::size_t> find_malformed_utf8(std::string_view text);

}  // namespace padless
