// A character of a text with what Unicode says about it.
#pragma once

#include <cstddef>
#include <string_view>

#include "padless/core/utf8.h"
#include "padless/text/unicode_tables.h"

namespace padless::unicode {

/// The record of a code point, which is at most U+10FFFF.
inline const CharacterRecord& record_of(char32_t code_point) {
  const auto& block = kBlocks[kBlockOf[code_point / kBlockSize]];
  return kRecords[block[code_point % kBlockSize]];
}

/// The record of a character and where the next character begins.
struct Character {
  const CharacterRecord& record;
  std::size_t end;
};

/// The character that begins at text[at]; at < text.size().
inline Character character_at(std::string_view text, std::size_t at) {
  const DecodedCharacter decoded = decode_utf8(text, at);
  return {record_of(decoded.code_point), at + decoded.size};
}

/// A set of values of a property, as bits.
template <class Property, class... Values>
constexpr std::uint32_t set_of(Property value, Values... values) {
  return ((1u << static_cast<unsigned>(value)) | ... | (1u << static_cast<unsigned>(values)));
}

/// Whether the set has the value.
template <class Property>
constexpr bool is_in(Property value, std::uint32_t set) {
  return ((set >> static_cast<unsigned>(value)) & 1u) != 0;
}

}  // namespace padless::unicode
