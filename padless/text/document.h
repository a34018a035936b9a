// A text as sentences of words.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "padless/core/export.h"
#include "padless/text/unicode_tables.h"

namespace padless {

/// The version of Unicode whose rules make the words and sentences. A model's folder records it,
/// since another version may give other words.
inline constexpr std::string_view kUnicodeVersion = unicode::kVersion;

/// How a text becomes sentences of words. A model's folder records it: texts are to be read in use
/// as they were in training.
struct TokenizerSettings {
  /// Words are lower-cased (see lower_case.h).
  bool lower_case = true;
  /// Each line of a text is a sentence and is not split further, for texts that come with one
  /// sentence a line. Otherwise sentences end where Unicode says (see sentence_break.h).
  bool lines_are_sentences = false;
  /// A longer text is cut after that many words; nullopt: never.
  std::optional<std::size_t> max_words = std::nullopt;

  bool operator==(const TokenizerSettings&) const = default;
};

/// The words of a text and the sentences they form, a function of the text and the settings alone.
///
/// A word is a segment between Unicode's word boundaries that has a letter, an ideograph, a number,
/// a pictograph or a flag (see word_break.h); spaces and punctuation are no words. A word belongs
/// to the sentence in which it begins. A sentence without a word is none: it is left out. Texts are
/// not normalised: a letter with its accent and the two apart are different words.
///
/// Any bytes are a text; malformed UTF-8 reads as U+FFFD, which is no word.
class PADLESS_API Document {
 public:
  /// Numbers from begin to before end: of bytes, or of words.
  struct Range {
    std::size_t begin, end;
    std::size_t size() const { return end - begin; }
    bool operator==(const Range&) const = default;
  };

  /// No words.
  Document() = default;

  Document(std::string_view text, const TokenizerSettings& settings);

  std::size_t word_count() const { return words_.size(); }

  /// Word i as the vocabulary knows it: lower-cased if the settings say so, always UTF-8. Valid as
  /// long as the document is not changed or moved.
  std::string_view word(std::size_t i) const;

  /// Where word i stands in the text, in bytes.
  Range source(std::size_t i) const { return words_[i].source; }

  std::size_t sentence_count() const { return sentence_ends_.size(); }

  /// The words of sentence s: at least one.
  Range sentence(std::size_t s) const;

  /// How many words of the text the setting max_words has cut.
  std::size_t words_cut() const { return words_cut_; }

 private:
  struct Word {
    Range source;
    std::size_t spelling_end;  // in spellings_; it begins where the word before it ends
  };

  void add_word(std::string_view text, Range source, bool lower);

  std::vector<Word> words_;
  std::string spellings_;
  std::vector<std::size_t> sentence_ends_;  // the number of words up to the end of each sentence
  std::size_t words_cut_ = 0;
};

}  // namespace padless
