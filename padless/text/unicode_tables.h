// clang-format off
// Made by tools/make_unicode_tables.py from the Unicode Character Database, version 15.0.0.
// Do not edit. Unicode's copyright and permission notice: padless/text/unicode_tables.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace padless::unicode {

/// The version of Unicode that says what a word, a sentence and a lower-case letter is.
inline constexpr std::string_view kVersion = "15.0.0";

/// The property Word_Break (UAX #29, table 3).
enum class WordBreak : std::uint8_t {
  other, cr, lf, newline, extend, zwj, format, regional_indicator, katakana, hebrew_letter,
  a_letter, single_quote, double_quote, mid_num_let, mid_letter, mid_num, numeric, extend_num_let,
  w_seg_space,
};

/// The property Sentence_Break (UAX #29, table 4).
enum class SentenceBreak : std::uint8_t {
  other, cr, lf, sep, extend, format, sp, lower, upper, o_letter, numeric, a_term, s_continue,
  s_term, close,
};

/// What padless asks of a character. Many characters share a record.
struct CharacterRecord {
  WordBreak word_break;
  SentenceBreak sentence_break;
  /// Makes a segment a word: Alphabetic, a number, Extended_Pictographic or Regional_Indicator, and
  /// not one that merely attaches to the character before it (Word_Break Extend, Format, ZWJ).
  bool is_word_character;
  bool is_pictographic;    ///< Extended_Pictographic
  bool is_cased;           ///< Cased
  bool is_case_ignorable;  ///< Case_Ignorable
  bool has_lower_case;     ///< its lower case is another text than itself
};

/// From code point to record: kRecords[kBlocks[kBlockOf[c / kBlockSize]][c % kBlockSize]].
inline constexpr std::size_t kBlockSize = 128;
extern const std::uint8_t kBlockOf[8704];
extern const std::uint8_t kBlocks[248][kBlockSize];
extern const CharacterRecord kRecords[58];

/// Each stride-th code point from first to last has the lower case code point + delta. Sorted.
struct LowerRange {
  char32_t first, last;
  std::uint32_t stride;
  std::int32_t delta;
};
extern const LowerRange kLowerRanges[181];

/// The characters whose lower case is two characters, not in kLowerRanges.
struct LowerPair {
  char32_t from, to[2];
};
extern const LowerPair kLowerPairs[1];

}  // namespace padless::unicode
