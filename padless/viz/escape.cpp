#include "padless/viz/escape.h"

#include "padless/core/quote.h"
#include "padless/viz/columns.h"

namespace padless::viz {
namespace {

std::string to_utf8(char32_t code) {
  std::string text;
  append_utf8(text, code);
  return text;
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
  for (std::size_t at = 0; at < text.size();) {
    const DecodedCharacter character = decode_utf8(text, at);
    switch (character.code_point) {
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
        if (markup_cannot_hold(character.code_point)) {
          out += picture(character.code_point);
        } else {
          append_utf8(out, character.code_point);
        }
    }
    at += character.size;
  }
  return out;
}

std::vector<TerminalCell> terminal_cells(std::string_view text) {
  std::vector<TerminalCell> cells;
  for (std::size_t at = 0; at < text.size();) {
    const DecodedCharacter character = decode_utf8(text, at);
    std::string shown = visible(text, at, character);
    const bool as_it_is = shown == text.substr(at, character.size);
    const std::size_t columns = as_it_is ? columns_of(character.code_point) : shown.size();
    cells.push_back({std::move(shown), columns});
    at += character.size;
  }
  return cells;
}

std::string escape_terminal(std::string_view text) {
  std::string out;
  for (const TerminalCell& cell : terminal_cells(text)) out += cell.text;
  return out;
}

}  // namespace padless::viz
