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

constexpr std::uint32_t kParagraphEnds = set_of(kSep, kCr, kLf);
constexpr std::uint32_t kTerminators = set_of(kATerm, kSTerm);
constexpr std::uint32_t kAttached = set_of(kExtend, kFormat);  // to the character before (SB5)

// How far the end of a sentence has come, in the order SATerm Close* Sp*.
enum class Stage : std::uint8_t { kNone, kTerminator, kClose, kSpace };

// Whether, behind a full stop that may have been an abbreviation's, a lower-case word comes before
// any sign of a new sentence (SB8).
bool goes_on_in_lower_case(std::string_view text, std::size_t at) {
  constexpr std::uint32_t kOthersThatDecide =
      kParagraphEnds | kTerminators | set_of(kOLetter, kUpper);
  while (at < text.size()) {
    const Character character = character_at(text, at);
    if (character.record.sentence_break == kLower) return true;
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
      stage_ = Stage::kTerminator;
      terminator_ = kind;
      terminator_follows_letter_ = is_in(base_, set_of(kUpper, kLower));
    } else if (kind == kClose && (stage_ == Stage::kTerminator || stage_ == Stage::kClose)) {
      stage_ = Stage::kClose;
    } else if (kind == kSp && stage_ != Stage::kNone) {
      stage_ = Stage::kSpace;
    } else {
      stage_ = Stage::kNone;
    }
    base_ = kind;
  }

  // No end of a sentence is in sight, so any character but a line break's second half stays
  // (SB998).
  bool is_inside() const { return stage_ == Stage::kNone; }
  bool could_be_abbreviation() const { return terminator_ == kATerm; }

  // The rules SB6 to SB10 but SB8, once a terminator has been seen.
  bool holds(SentenceBreak next) const {
    if (terminator_ == kATerm && stage_ == Stage::kTerminator) {
      if (next == kNumeric) return true;                              // SB6
      if (next == kUpper && terminator_follows_letter_) return true;  // SB7
    }
    if (next == kSContinue || is_in(next, kTerminators)) return true;  // SB8a
    if (next == kClose) return stage_ != Stage::kSpace;                // SB9
    return next == kSp || is_in(next, kParagraphEnds);                 // SB9, SB10
  }

 private:
  SentenceBreak base_ = kOther;  // the last character that does not attach to the one before it
  Stage stage_ = Stage::kNone;
  SentenceBreak terminator_ = kOther;
  bool terminator_follows_letter_ = false;
};

// Behind the line break that begins with `kind` and ends at `end`: CR LF is one (SB3).
std::size_t line_break_end(std::string_view text, SentenceBreak kind, std::size_t end) {
  return kind == kCr && end < text.size() && text[end] == '\n' ? end + 1 : end;
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
