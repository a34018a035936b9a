#include "padless/text/lower_case.h"

#include <algorithm>
#include <iterator>

#include "padless/text/character.h"

namespace padless {
namespace {

using unicode::Character;
using unicode::character_at;
using unicode::CharacterRecord;
using unicode::LowerRange;

constexpr char32_t kCapitalSigma = 0x03A3;
constexpr char32_t kFinalSigma = 0x03C2;

// The lower case of a character that has one.
void append_mapped(std::string& out, char32_t code_point) {
  for (const unicode::LowerPair& pair : unicode::kLowerPairs) {
    if (pair.from != code_point) continue;
    for (const char32_t to : pair.to) append_utf8(out, to);
    return;
  }
  const LowerRange* range = std::lower_bound(
      std::begin(unicode::kLowerRanges), std::end(unicode::kLowerRanges), code_point,
      [](const LowerRange& each, char32_t wanted) { return each.last < wanted; });
  append_utf8(out, code_point + static_cast<char32_t>(range->delta));
}

// Case-ignorable characters, then a cased one. A capital sigma is cased, so that looking ahead from
// every sigma of a word reads each character once.
bool is_followed_by_cased(std::string_view word, std::size_t at) {
  while (at < word.size()) {
    const Character character = character_at(word, at);
    if (!character.record.is_case_ignorable) return character.record.is_cased;
    at = character.end;
  }
  return false;
}

}  // namespace

void append_lower_case(std::string& out, std::string_view word) {
  bool follows_cased = false;
  for (std::size_t at = 0; at < word.size();) {
    const DecodedCharacter character = decode_utf8(word, at);
    const std::size_t end = at + character.size;
    const CharacterRecord& record = unicode::record_of(character.code_point);
    if (character.code_point == kCapitalSigma && follows_cased &&
        !is_followed_by_cased(word, end)) {
      append_utf8(out, kFinalSigma);
    } else if (record.has_lower_case) {
      append_mapped(out, character.code_point);
    } else {
      append_utf8(out, character.code_point);
    }
    if (!record.is_case_ignorable) follows_cased = record.is_cased;
    at = end;
  }
}

std::string lower_case(std::string_view word) {
  std::string out;
  append_lower_case(out, word);
  return out;
}

}  // namespace padless
