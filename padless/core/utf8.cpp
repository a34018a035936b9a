#include "padless/core/utf8.h"

namespace padless {
namespace {

// What a first byte promises (the Unicode Standard, table 3-7): how many bytes follow, and between
// which bounds the second one lies. Every later byte lies between 80 and BF.
struct FirstByte {
  std::uint32_t following;
  unsigned char second_low, second_high;
};

FirstByte read_first_byte(unsigned char byte) {
  if (byte < 0xC2) return {0, 0, 0};  // a following byte, or the start of an overlong form
  if (byte < 0xE0) return {1, 0x80, 0xBF};
  if (byte == 0xE0) return {2, 0xA0, 0xBF};
  if (byte == 0xED) return {2, 0x80, 0x9F};  // above are the surrogates
  if (byte < 0xF0) return {2, 0x80, 0xBF};
  if (byte == 0xF0) return {3, 0x90, 0xBF};
  if (byte < 0xF4) return {3, 0x80, 0xBF};
  if (byte == 0xF4) return {3, 0x80, 0x8F};
  return {0, 0, 0};
}

}  // namespace

DecodedCharacter decode_utf8_beyond_ascii(std::string_view text, std::size_t at) {
  const auto first = static_cast<unsigned char>(text[at]);
  const FirstByte promise = read_first_byte(first);
  if (promise.following == 0) return {kReplacementCharacter, 1, true};

  char32_t code_point = first & (0x3Fu >> promise.following);
  unsigned char low = promise.second_low, high = promise.second_high;
  for (std::uint32_t i = 1; i <= promise.following; ++i) {
    if (at + i >= text.size()) return {kReplacementCharacter, i, true};
    const auto byte = static_cast<unsigned char>(text[at + i]);
    if (byte < low || byte > high) return {kReplacementCharacter, i, true};
    code_point = (code_point << 6) | (byte & 0x3Fu);
    low = 0x80;
    high = 0xBF;
  }
  return {code_point, promise.following + 1, false};
}

void append_utf8(std::string& out, char32_t code_point) {
  const auto byte = [&](char32_t bits) { out.push_back(static_cast<char>(bits)); };
  const auto following = [&](int shift) { byte(0x80 | ((code_point >> shift) & 0x3F)); };
  if (code_point < 0x80) {
    byte(code_point);
  } else if (code_point < 0x800) {
    byte(0xC0 | (code_point >> 6));
    following(0);
  } else if (code_point < 0x10000) {
    byte(0xE0 | (code_point >> 12));
    following(6);
    following(0);
  } else {
    byte(0xF0 | (code_point >> 18));
    following(12);
    following(6);
    following(0);
  }
}

void append_well_formed(std::string& out, std::string_view text) {
  while (!text.empty()) {
    const std::size_t well_formed = find_malformed_utf8(text).value_or(text.size());
    out.append(text, 0, well_formed);
    text.remove_prefix(well_formed);
    if (text.empty()) return;
    append_utf8(out, kReplacementCharacter);
    text.remove_prefix(decode_utf8(text, 0).size);
  }
}

std::optional<std::size_t> find_malformed_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const DecodedCharacter character = decode_utf8(text, at);
    if (character.is_malformed) return at;
    at += character.size;
  }
  return std::nullopt;
}

}  // namespace padless
