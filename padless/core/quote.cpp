#include "padless/core/quote.h"

#include "padless/core/code_ranges.h"

namespace padless {
namespace {

constexpr CodeRange kControl[] = {
    {0x0000, 0x001F}, {0x007F, 0x009F}, {0x00AD, 0x00AD},   {0x061C, 0x061C}, {0x180E, 0x180E},
    {0x200B, 0x200B}, {0x200E, 0x200F}, {0x2028, 0x202E},   {0x2060, 0x206F}, {0xFEFF, 0xFEFF},
    {0xFFF0, 0xFFFB}, {0xFFFE, 0xFFFF}, {0xE0000, 0xE0FFF},
};

std::string hexadecimal(char32_t number) {
  std::string digits;
  for (; number != 0; number >>= 4) digits.insert(digits.begin(), "0123456789abcdef"[number & 15]);
  return digits;
}

std::string escaped_byte(unsigned char byte) {
  return {'\\', 'x', "0123456789abcdef"[byte >> 4], "0123456789abcdef"[byte & 15]};
}

}  // namespace

bool is_control(char32_t code_point) { return contains(kControl, code_point); }

std::string visible(std::string_view text, std::size_t at, const DecodedCharacter& character) {
  const std::string_view bytes = text.substr(at, character.size);
  if (!character.is_malformed && !is_control(character.code_point)) return std::string(bytes);
  if (!character.is_malformed && character.code_point >= 0x80) {
    return "\\u{" + hexadecimal(character.code_point) + "}";
  }
  std::string escaped;
  for (const char byte : bytes) escaped += escaped_byte(static_cast<unsigned char>(byte));
  return escaped;
}

std::string quote(std::string_view text, std::size_t max_bytes) {
  std::string out = "\"";
  std::size_t at = 0;
  while (at < text.size() && at < max_bytes) {
    const DecodedCharacter character = decode_utf8(text, at);
    out += visible(text, at, character);
    at += character.size;
  }
  out += at < text.size() ? "...\"" : "\"";
  return out;
}

}  // namespace padless
