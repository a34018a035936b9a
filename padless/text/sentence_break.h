// Sentence boundaries by the Unicode rules (UAX #29, version 15.0.0, rules SB1 to SB998).
#pragma once

#include <cstddef>
#include <string_view>

#include "padless/core/export.h"

namespace padless {

/// Where the sentence ends that begins at text[begin], which must be a sentence boundary (0, or the
/// end of the sentence before) and less than text.size(). A line feed, a carriage return and a
/// paragraph separator always end a sentence, so in a text wrapped at a fixed width each line does.
/// Walking a whole text takes time linear in its bytes, whatever they are.
PADLESS_API std::size_t next_sentence_end(std::string_view text, std::size_t begin);

/// The same by rules SB1 to SB4 alone: only line breaks end a sentence. These are line feed,
/// carriage return, the two together, next line (U+0085), line and paragraph separator (U+2028,
/// U+2029).
PADLESS_API std::size_t next_line_end(std::string_view text, std::size_t begin);

}  // namespace padless
