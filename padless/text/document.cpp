#include "padless/text/document.h"

#include "padless/core/utf8.h"
#include "padless/text/lower_case.h"
#include "padless/text/sentence_break.h"
#include "padless/text/word_break.h"

namespace padless {
Document::Document(std::string_view text, const TokenizerSettings& settings) {
  const auto next_end = settings.lines_are_sentences ? next_line_end : next_sentence_end;
  std::size_t sentence_end = 0;
  bool is_new_sentence = false;
  for (std::size_t at = 0; at < text.size();) {
    const WordSegment segment = next_word_segment(text, at);
    while (sentence_end <= at) {
      sentence_end = next_end(text, sentence_end);
      is_new_sentence = true;
    }
    if (segment.is_word) {
      if (settings.max_words && words_.size() >= *settings.max_words) {
        ++words_cut_;
      } else {
        add_word(text, {at, segment.end}, settings.lower_case);
        if (is_new_sentence) sentence_ends_.push_back(0);
        is_new_sentence = false;
        sentence_ends_.back() = words_.size();
      }
    }
    at = segment.end;
  }
}

void Document::add_word(std::string_view text, Range source, bool lower) {
  const std::string_view word = text.substr(source.begin, source.size());
  if (lower) {
    append_lower_case(spellings_, word);
  } else {
    append_well_formed(spellings_, word);
  }
  words_.push_back({source, spellings_.size()});
}

std::string_view Document::word(std::size_t i) const {
  const std::size_t begin = i == 0 ? 0 : words_[i - 1].spelling_end;
  return std::string_view(spellings_).substr(begin, words_[i].spelling_end - begin);
}

Document::Range Document::sentence(std::size_t s) const {
  return {s == 0 ? 0 : sentence_ends_[s - 1], sentence_ends_[s]};
}

}  // namespace padless
