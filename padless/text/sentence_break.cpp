#include "padless/text/sentence_break.h"

#include <cstdint>

#include "padless/text/character.h"

namespace padless {
namespace {

using unicode::Character;
using unicode::character_at;
using unicode::is_in;
using unicode::SentenceBreak;
using unicode::set_of;
using enum unicode::SentenceBreak;

constexpr std::uint32_t kParagraphEnds = set_of(sep, cr, lf);
constexpr std::uint32_t kTerminators = set_of(a_term, s_term);
constexpr std::uint32_t kAttached = set_of(extend, format);  // to the character before (SB5)

// How far the end of a sentence has come, in the order SATerm Close* Sp*.
enum class Stage : std::uint8_t { none, terminator, close, space };

// Whether, behind a full stop that may have been an abbreviation's, a lower-case word comes before
// any sign of a new sentence (SB8).
bool goes_on_in_lower_case(std::string_view text, std::size_t at) {
  constexpr std::uint32_t kOthersThatDecide =
      kParagraphEnds | kTerminators | set_of(o_letter, upper);
  while (at < text.size()) {
    const Character character = character_at(text, at);
    if (character.record.sentence_break == lower) return true;
    if (is_in(character.record.sentence_break, kOthersThatDecide)) return false;
    at = character.end;
  }
  return false;
}

// A sentence while it grows.
class Growing {
 public:
  explicit Growing(SentenceBreak first) { take(first); }

  void take(SentenceBreak kind) {
    if (is_in(kind, kTerminators)) {
      stage_ = Stage::terminator;
      terminator_ = kind;
      terminator_follows_letter_ = is_in(base_, set_of(upper, lower));
    } else if (kind == close && (stage_ == Stage::terminator || stage_ == Stage::close)) {
      stage_ = Stage::close;
    } else if (kind == sp && stage_ != Stage::none) {
      stage_ = Stage::space;
    } else {
      stage_ = Stage::none;
    }
    base_ = kind;
  }

  // No end of a sentence is in sight, so any character but a line break's second half stays
  // (SB998).
  bool is_inside() const { return stage_ == Stage::none; }
  bool could_be_abbreviation() const { return terminator_ == a_term; }

  // The rules SB6 to SB10 but SB8, once a terminator has been seen.
  bool holds(SentenceBreak next) const {
    if (terminator_ == a_term && stage_ == Stage::terminator) {
      if (next == numeric) return true;                              // SB6
      if (next == upper && terminator_follows_letter_) return true;  // SB7
    }
    if (next == s_continue || is_in(next, kTerminators)) return true;  // SB8a
    if (next == close) return stage_ != Stage::space;                  // SB9
    return next == sp || is_in(next, kParagraphEnds);                  // SB9, SB10
  }

 private:
  SentenceBreak base_ = other;  // the last character that does not attach to the one before it
  Stage stage_ = Stage::none;
  SentenceBreak terminator_ = other;
  bool terminator_follows_letter_ = false;
};

// Behind the line break that begins with `kind` and ends at `end`: CR LF is one (SB3).
std::size_t line_break_end(std::string_view text, SentenceBreak kind, std::size_t end) {
  return kind == cr && end < text.size() && text[end] == '\n' ? end + 1 : end;
}

}  // namespace

// No rule looks back across a boundary. SB8 looks ahead once behind each full stop, and no further
// than to the next one: hence linear.
std::size_t next_sentence_end(std::string_view text, std::size_t begin) {
  const Character first = character_at(text, begin);
  SentenceBreak kind = first.record.sentence_break;
  std::size_t end = first.end;
  Growing growing(kind);
  while (!is_in(kind, kParagraphEnds) && end < text.size()) {
    const Character next = character_at(text, end);
    const SentenceBreak next_kind = next.record.sentence_break;
    if (!is_in(next_kind, kAttached)) {
      if (!growing.is_inside() && !growing.holds(next_kind) &&
          !(growing.could_be_abbreviation() && goes_on_in_lower_case(text, end))) {
        return end;  // SB11
      }
      growing.take(next_kind);
      kind = next_kind;
    }
    end = next.end;
  }
  return line_break_end(text, kind, end);
}

std::size_t next_line_end(std::string_view text, std::size_t begin) {
  while (begin < text.size()) {
    const Character character = character_at(text, begin);
    const SentenceBreak kind = character.record.sentence_break;
    begin = character.end;
    if (is_in(kind, kParagraphEnds)) return line_break_end(text, kind, begin);
  }
  return begin;
}

}  // namespace padless
