#include "padless/text/vocabulary.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "padless/core/error.h"
#include "padless/core/quote.h"
#include "padless/text/character.h"

namespace padless {
namespace {

constexpr std::int32_t kFree = -1;

// Bytes of a word that a message shows.
constexpr std::size_t kShown = 40;

// Spaces, but not U+202F: Unicode keeps "1\u202F000" in one piece.
bool is_space(const unicode::Character& character, char32_t code_point) {
  constexpr char32_t kNoBreakSpace = 0xA0, kFigureSpace = 0x2007;
  return character.record.word_break == unicode::WordBreak::w_seg_space ||
         code_point == kNoBreakSpace || code_point == kFigureSpace;
}

// Why a word cannot be a line of a vocabulary, if it cannot: a file's line that nobody sees to be
// another word than it seems.
std::optional<std::string> why_no_line(std::string_view word) {
  if (word.empty()) return "an empty word";
  if (const auto at = find_malformed_utf8(word)) return message("not UTF-8 at byte ", *at);
  for (std::size_t at = 0; at < word.size();) {
    using enum unicode::WordBreak;
    const unicode::Character character = unicode::character_at(word, at);
    const char32_t code_point = decode_utf8(word, at).code_point;
    if (unicode::is_in(character.record.word_break, unicode::set_of(cr, lf, newline))) {
      return message("a line break or carriage return at byte ", at, " of the word");
    }
    if (code_point < 0x20 || (code_point >= 0x7F && code_point < 0xA0)) {
      return message("a control character at byte ", at, " of the word ", quote(word, kShown));
    }
    if (is_space(character, code_point)) {
      return message("white space at byte ", at, " of the word ", quote(word, kShown));
    }
    at = character.end;
  }
  return std::nullopt;
}

}  // namespace

Vocabulary::Vocabulary() {
  reserve(1);
  add(kUnknownWord);
}

Vocabulary Vocabulary::from_text(std::string_view text, std::string_view where) {
  const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  const auto refuse = [&](std::size_t line, const auto&... parts) {
    throw FormatError(message(where, ":", line, ": ", parts...));
  };
  if (lines > kMaxSize) {
    refuse(kMaxSize + 1, lines, " lines, expected at most ", kMaxSize);
  }
  if (!text.empty() && text.back() != '\n') {
    refuse(lines + 1, "the line does not end with a line feed: the file is cut off");
  }
  Vocabulary vocabulary;
  vocabulary.reserve(lines);
  std::size_t begin = 0;
  for (std::size_t line = 1; line <= std::max<std::size_t>(lines, 1); ++line) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    begin = end + 1;
    if (line == 1) {
      if (word == kUnknownWord) continue;
      refuse(line, "found ", quote(word, kShown), ", expected ", kUnknownWord,
             ", the word with id 0");
    }
    if (const auto reason = why_no_line(word)) refuse(line, *reason, ", expected one word a line");
    if (!vocabulary.add(word)) {
      refuse(line, quote(word, kShown), " stands in line ", vocabulary.id(word) + 1,
             " already, expected each word once");
    }
  }
  return vocabulary;
}

std::int32_t Vocabulary::id(std::string_view word) const {
  const std::int32_t found = slots_[find_slot(word)];
  return found == kFree ? kUnknownId : found;
}

std::string_view Vocabulary::word(std::int32_t id) const {
  const auto line = static_cast<std::size_t>(id);
  const std::size_t begin = line == 0 ? 0 : line_ends_[line - 1] + 1;
  return std::string_view(text_).substr(begin, line_ends_[line] - begin);
}

std::size_t Vocabulary::find_slot(std::string_view word) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = std::hash<std::string_view>()(word) & mask;
  while (slots_[slot] != kFree && this->word(slots_[slot]) != word) slot = (slot + 1) & mask;
  return slot;
}

void Vocabulary::reserve(std::size_t size) {
  // Half of the slots stay free, so that a look-up ends soon.
  slots_.assign(std::bit_ceil(2 * size + 1), kFree);
  for (std::size_t i = 0; i < line_ends_.size(); ++i) {
    const auto id = static_cast<std::int32_t>(i);
    slots_[find_slot(word(id))] = id;
  }
}

bool Vocabulary::add(std::string_view word) {
  const std::size_t slot = find_slot(word);
  if (slots_[slot] != kFree) return false;
  slots_[slot] = static_cast<std::int32_t>(size());
  text_.append(word);
  line_ends_.push_back(text_.size());
  text_.push_back('\n');
  return true;
}

void VocabularyBuilder::add(const Document& document) {
  for (std::size_t i = 0; i < document.word_count(); ++i) {
    const std::string_view word = document.word(i);
    if (const auto found = counts_.find(word); found != counts_.end()) {
      ++found->second;
    } else {
      counts_.emplace(word, 1);
    }
  }
}

void VocabularyBuilder::add(std::string_view word, std::uint64_t count) {
  if (const auto reason = why_no_line(word)) {
    throw ValueError(message("VocabularyBuilder::add: ", *reason, ", expected a word"));
  }
  require_value(word != Vocabulary::kUnknownWord, "VocabularyBuilder::add: the word is ",
                Vocabulary::kUnknownWord, ", which stands for the unknown words");
  counts_[std::string(word)] += count;
}

Vocabulary VocabularyBuilder::build(const VocabularyLimits& limits) const {
  require_value(limits.max_size >= 1 && limits.max_size <= Vocabulary::kMaxSize,
                "VocabularyBuilder::build: max_size is ", limits.max_size,
                ", expected 1 (the unknown word alone) to ", Vocabulary::kMaxSize);
  using Counted = decltype(counts_)::value_type;
  std::vector<const Counted*> kept;
  for (const Counted& counted : counts_) {
    // A text's word may begin with a space, where an emoji is joined to it: it stays unknown.
    if (counted.second >= limits.min_count && !why_no_line(counted.first)) kept.push_back(&counted);
  }
  std::sort(kept.begin(), kept.end(), [](const Counted* a, const Counted* b) {
    return a->second != b->second ? a->second > b->second : a->first < b->first;
  });
  if (kept.size() > limits.max_size - 1) kept.resize(limits.max_size - 1);

  Vocabulary vocabulary;
  vocabulary.reserve(kept.size() + 1);
  for (const Counted* counted : kept) vocabulary.add(counted->first);
  return vocabulary;
}

DocumentIds look_up(const Document& document, const Vocabulary& vocabulary) {
  DocumentIds ids;
  ids.words.reserve(document.word_count());
  for (std::size_t i = 0; i < document.word_count(); ++i) {
    ids.words.push_back(vocabulary.id(document.word(i)));
  }
  ids.sentence_lengths.reserve(document.sentence_count());
  for (std::size_t s = 0; s < document.sentence_count(); ++s) {
    ids.sentence_lengths.push_back(document.sentence(s).size());
  }
  return ids;
}

}  // namespace padless
