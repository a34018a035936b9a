// Word boundaries by the Unicode rules (UAX #29, version 15.0.0, rules WB1 to WB999).
#pragma once

#include <cstddef>
#include <string_view>

#include "padless/core/export.h"

namespace padless {

/// What lies between two word boundaries: a word, or spaces, or a punctuation mark.
struct WordSegment {
  std::size_t end;  ///< where the next segment begins
  /// It has a letter, an ideograph, a number (General_Category N), a pictograph or a flag.
  bool is_word;
};

/// The segment that begins at text[begin], which must be a word boundary (0, or the end of the
/// segment before) and less than text.size(). Scripts without spaces are not looked up in a
/// dictionary: an ideograph, a hiragana or a Thai letter with its marks is a segment of its own.
/// Walking a whole text takes time linear in its bytes, whatever they are.
PADLESS_API WordSegment next_word_segment(std::string_view text, std::size_t begin);

}  // namespace padless
