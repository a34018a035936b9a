#include "padless/viz/escape.h"

#include "padless/viz/utf8.h"

namespace padless::viz {
namespace {

std::string hexadecimal(char32_t number, std::size_t least_digits) {
  std::string digits;
  for (; number != 0 || digits.size() < least_digits; number >>= 4)
    digits.insert(digits.begin(), "0123456789abcdef"[number & 15]);
  return digits;
}

// A control character's picture; the C1 controls and noncharacters have none.
std::string picture(char32_t code) {
  if (code < 0x20) return to_utf8(0x2400 + code);
  return to_utf8(code == 0x7F ? 0x2421 : 0xFFFD);
}

bool markup_cannot_hold(char32_t code) {
  if (code == '\t' || code == '\n') return false;
  return code < 0x20 || (code >= 0x7F && code <= 0x9F) || (code & 0xFFFE) == 0xFFFE;
}

}  // namespace

std::string escape_markup(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Character character = first_character(text);
    switch (character.code) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        if (markup_cannot_hold(character.code)) {
          out += picture(character.code);
        } else {
          out += to_utf8(character.code);
        }
    }
    text.remove_prefix(character.bytes);
  }
  return out;
}

std::vector<TerminalCell> terminal_cells(std::string_view text) {
  std::vector<TerminalCell> cells;
  while (!text.empty()) {
    const Character character = first_character(text);
    std::string shown(text.substr(0, character.bytes));
    std::size_t columns = columns_of(character.code);
    if (!character.valid || is_control(character.code)) {
      const char32_t number =
          character.valid ? character.code : static_cast<unsigned char>(text.front());
      const bool as_byte = !character.valid || number < 0x80;
      shown = as_byte ? "\\x" + hexadecimal(number, 2) : "\\u{" + hexadecimal(number, 1) + "}";
      columns = shown.size();
    }
    cells.push_back({std::move(shown), columns});
    text.remove_prefix(character.bytes);
  }
  return cells;
}

std::string escape_terminal(std::string_view text) {
  std::string out;
  for (const TerminalCell& cell : terminal_cells(text)) out += cell.text;
  return out;
}

}  // namespace padless::viz
