#include "padless/text/word_break.h"

#include <array>
#include <cstdint>
#include <optional>

#include "padless/text/character.h"

namespace padless {
namespace {

using unicode::Character;
using unicode::character_at;
using unicode::is_in;
using unicode::set_of;
using enum unicode::WordBreak;
using unicode::WordBreak;

constexpr std::uint32_t kLetters = set_of(a_letter, hebrew_letter);
constexpr std::uint32_t kLineBreaks = set_of(cr, lf, newline);
constexpr std::uint32_t kAttached = set_of(extend, format, zwj);
constexpr std::uint32_t kLetterBridges = set_of(mid_letter, mid_num_let, single_quote);
constexpr std::uint32_t kNumberBridges = set_of(mid_num, mid_num_let, single_quote);

// What always stays together with a base before it: WB5, WB8 to WB10, WB13, WB13a, WB13b.
constexpr std::uint32_t joins_after(WordBreak base) {
  switch (base) {
    case a_letter:
    case hebrew_letter:
    case numeric:
      return kLetters | set_of(numeric, extend_num_let);
    case katakana:
      return set_of(katakana, extend_num_let);
    case extend_num_let:
      return kLetters | set_of(numeric, katakana, extend_num_let);
    default:
      return 0;
  }
}

constexpr auto kJoinsAfter = [] {
  std::array<std::uint32_t, static_cast<std::size_t>(w_seg_space) + 1> joins{};
  for (std::size_t i = 0; i < joins.size(); ++i) joins[i] = joins_after(static_cast<WordBreak>(i));
  return joins;
}();

// What a bridge such as an apostrophe needs behind it to hold on to the base before it: WB6 and
// WB7, WB7b and WB7c, WB11 and WB12. Empty where it is no bridge.
std::uint32_t wanted_behind_bridge(WordBreak base, WordBreak bridge) {
  if (is_in(base, kLetters) && is_in(bridge, kLetterBridges)) return kLetters;
  if (base == hebrew_letter && bridge == double_quote) return set_of(hebrew_letter);
  if (base == numeric && is_in(bridge, kNumberBridges)) return set_of(numeric);
  return 0;
}

// The character behind a bridge (stepping over what attaches to the bridge), if it is one of those.
std::optional<Character> behind_bridge(std::string_view text, std::size_t at,
                                       std::uint32_t wanted) {
  while (at < text.size()) {
    const Character character = character_at(text, at);
    if (is_in(character.record.word_break, wanted)) return character;
    if (!is_in(character.record.word_break, kAttached)) return std::nullopt;
    at = character.end;
  }
  return std::nullopt;
}

// A segment while it grows.
class Growing {
 public:
  explicit Growing(const Character& first)
      : segment_{first.end, first.record.is_word_character},
        before_(first.record.word_break),
        base_(before_),
        flag_is_open_(base_ == regional_indicator) {}

  const WordSegment& segment() const { return segment_; }
  WordBreak base() const { return base_; }

  void take(const Character& character) {
    before_ = character.record.word_break;
    if (!is_in(before_, kAttached)) {
      base_ = before_;
      flag_is_open_ = base_ == regional_indicator && !flag_is_open_;
    }
    segment_.end = character.end;
    segment_.is_word |= character.record.is_word_character;
  }

  // The rules that look at no more than one character to the right, in Unicode's order.
  bool holds(const unicode::CharacterRecord& next) const {
    const WordBreak kind = next.word_break;
    if (before_ == cr && kind == lf) return true;                               // WB3
    if (is_in(before_, kLineBreaks) || is_in(kind, kLineBreaks)) return false;  // WB3a, WB3b
    if (before_ == zwj && next.is_pictographic) return true;                    // WB3c
    if (before_ == w_seg_space && kind == w_seg_space) return true;             // WB3d
    if (is_in(kind, kAttached)) return true;                                    // WB4
    if (base_ == hebrew_letter && kind == single_quote) return true;            // WB7a
    if (base_ == regional_indicator && kind == regional_indicator)
      return flag_is_open_;  // WB15, 16
    return false;            // WB999
  }

 private:
  WordSegment segment_;
  WordBreak before_;   // the last character
  WordBreak base_;     // the last one that does not attach to the one before it (WB4)
  bool flag_is_open_;  // the base is the first of the two letters of a flag
};

}  // namespace

// No rule looks back across a boundary: the segment alone is what a decision depends on to the
// left. To the right, what attaches to a bridge may be read twice, by the look behind the bridge
// and by the walk, but no third time: hence linear.
WordSegment next_word_segment(std::string_view text, std::size_t begin) {
  Growing growing(character_at(text, begin));
  while (growing.segment().end < text.size()) {
    const Character next = character_at(text, growing.segment().end);
    const WordBreak kind = next.record.word_break;
    const WordBreak base = growing.base();
    if (is_in(kind, kJoinsAfter[static_cast<std::size_t>(base)])) {
      growing.take(next);
      continue;
    }
    if (const std::uint32_t wanted = wanted_behind_bridge(base, kind); wanted != 0) {
      if (const auto behind = behind_bridge(text, next.end, wanted)) {
        growing.take(*behind);
        continue;
      }
    }
    if (!growing.holds(next.record)) break;
    growing.take(next);
  }
  return growing.segment();
}

}  // namespace padless
