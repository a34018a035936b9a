// Words and their ids.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "padless/core/export.h"
#include "padless/text/document.h"

namespace padless {

/// Words numbered 0, 1, 2, ... Id 0 stands for every word that is not among them.
///
/// As text: one word a line, in the order of their ids; each line ends with a line feed.
class PADLESS_API Vocabulary {
 public:
  static constexpr std::int32_t kUnknownId = 0;
  /// The name of id 0. No text has it as a word: a word never begins at a <.
  static constexpr std::string_view kUnknownWord = "<unk>";
  /// Ids at most, the unknown word's included.
  static constexpr std::size_t kMaxSize = std::size_t{1} << 24;

  /// Knows no word.
  Vocabulary();

  /// Reads what to_text wrote. `where` names the text in errors: a file's path.
  ///
  /// Throws FormatError, with the line, when the first line is not <unk>, a line is empty, holds a
  /// word twice, is not UTF-8, or holds white space (but U+202F, which stands in numbers) or a
  /// control character, when the last line does not end, and when there are more than kMaxSize
  /// lines.
  static Vocabulary from_text(std::string_view text, std::string_view where);

  const std::string& to_text() const { return text_; }

  /// The number of ids, the unknown word's included: all ids are less.
  std::size_t size() const { return line_ends_.size(); }

  /// The id of a word; kUnknownId if it is none of ours.
  std::int32_t id(std::string_view word) const;

  /// The word with that id, which is at least 0 and less than size(). Valid as long as the
  /// vocabulary is not changed or moved.
  std::string_view word(std::int32_t id) const;

 private:
  friend class VocabularyBuilder;

  // Where in slots_ the word is, or the free slot where it belongs.
  std::size_t find_slot(std::string_view word) const;
  // Makes room in slots_ for that many words.
  void reserve(std::size_t size);
  // Gives the word the next id; false if it has one. At most as many as were reserved.
  bool add(std::string_view word);

  std::string text_;
  std::vector<std::size_t> line_ends_;  // in text_, of the line feed behind each word
  std::vector<std::int32_t> slots_;     // a hash table of ids, a power of two long; -1 is free
};

/// What of the words counted becomes a vocabulary.
struct VocabularyLimits {
  std::size_t min_count = 1;                    ///< rarer words are unknown
  std::size_t max_size = Vocabulary::kMaxSize;  ///< ids at most, the unknown word's included
};

/// Counts words and makes a vocabulary of the frequent ones.
class PADLESS_API VocabularyBuilder {
 public:
  /// The document's words; those that cannot be a line of a vocabulary stay unknown.
  void add(const Document& document);

  /// Throws ValueError when it cannot be a line of a vocabulary: empty, not UTF-8, with white
  /// space or a control character in it, or the unknown word's name.
  void add(std::string_view word, std::uint64_t count = 1);

  /// The words by falling count, those of equal count by their bytes: a function of the words that
  /// were counted, whatever their order. Words beyond the limits are left out, the rarest first.
  ///
  /// Throws ValueError unless max_size is between 1 and Vocabulary::kMaxSize.
  Vocabulary build(const VocabularyLimits& limits) const;

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view word) const {
      return std::hash<std::string_view>()(word);
    }
  };
  std::unordered_map<std::string, std::uint64_t, Hash, std::equal_to<>> counts_;
};

/// A document as numbers: what a model reads.
struct DocumentIds {
  std::vector<std::int32_t> words;            ///< the id of each word
  std::vector<std::size_t> sentence_lengths;  ///< in words; they add up to words.size()
};

/// The ids of the document's words; the unknown word's of those that the vocabulary has not.
PADLESS_API DocumentIds look_up(const Document& document, const Vocabulary& vocabulary);

}  // namespace padless
