#include "padless/text/word_break.h"

#include <gtest/gtest.h>

#include "padless/core/utf8.h"
#include "padless/testing/unicode_break_cases.h"

namespace padless {
namespace {

std::vector<std::string> segments(std::string_view text) {
  std::vector<std::string> found;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = next_word_segment(text, at).end;
    EXPECT_GT(end, at);
    EXPECT_LE(end, text.size());
    found.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return found;
}

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> found;
  for (std::size_t at = 0; at < text.size();) {
    const WordSegment segment = next_word_segment(text, at);
    if (segment.is_word) found.emplace_back(text.substr(at, segment.end - at));
    at = segment.end;
  }
  return found;
}

using Strings = std::vector<std::string>;

TEST(WordBreak, AgreesWithEveryLineOfUnicodesTest) {
  const auto cases = testing::read_break_cases("word_break.txt");
  ASSERT_EQ(cases.size(), 1823u);
  for (const testing::BreakCase& each : cases) {
    Strings expected;
    std::string text;
    std::size_t begin = 0;
    for (const std::size_t end : each.ends) {
      std::string segment;
      for (; begin < end; ++begin) append_utf8(segment, each.code_points[begin]);
      expected.push_back(segment);
      text += segment;
    }
    EXPECT_EQ(segments(text), expected) << each.line;
  }
}

constexpr testing::CharacterKind kKinds[] = {
    {'A', {"a", "𝒳"}},         {'H', {"א", "ב"}},           {'q', {"'", "'"}},
    {'d', {"\"", "\""}},       {'b', {".", "’"}},           {'m', {":", "·"}},
    {'n', {",", ";"}},         {'0', {"7", "٣"}},           {'K', {"カ", "ー"}},
    {'_', {"_", "‿"}},         {'r', {"🇩", "🇪"}},           {'p', {"😀", "©"}},
    {'e', {"\u0301", "🏽"}}, {'f', {"\u00AD", "\u200E"}}, {'z', {"\u200D", "\u200D"}},
    {'s', {" ", "\u3000"}},    {'c', {"\r", "\r"}},         {'l', {"\n", "\n"}},
    {'w', {"\u2028", "\v"}},   {'o', {"語", "\xFF"}},       {'o', {"%", "\xE2\x82"}},
};
constexpr testing::BreakRule kRules[] = {
    {"[AH]", "[AH]", false},       // WB5
    {"[AH]", "[mbq][AH]", false},  // WB6
    {"[AH][mbq]", "[AH]", false},  // WB7
    {"H", "q", false},             // WB7a
    {"H", "dH", false},            // WB7b
    {"Hd", "H", false},            // WB7c
    {"0", "0", false},             // WB8
    {"[AH]", "0", false},          // WB9
    {"0", "[AH]", false},          // WB10
    {"0[nbq]", "0", false},        // WB11
    {"0", "[nbq]0", false},        // WB12
    {"K", "K", false},             // WB13
    {"[AH0K_]", "_", false},       // WB13a
    {"_", "[AH0K]", false},        // WB13b
};

// The rules word for word, as patterns over kinds of characters, and what patterns cannot say.
TEST(WordBreak, AgreesWithTheRulesReadLiterally) {
  const std::string kWalls = "clw", kAttached = "efz";
  const auto is_one_of = [](char kind, const std::string& set) {
    return set.find(kind) != std::string::npos;
  };
  const auto breaks = [&](const std::string& text, std::size_t i) {
    const char before = text[i - 1], behind = text[i];
    if (before == 'c' && behind == 'l') return false;                         // WB3
    if (is_one_of(before, kWalls) || is_one_of(behind, kWalls)) return true;  // WB3a, WB3b
    if (before == 'z' && behind == 'p') return false;                         // WB3c
    if (before == 's' && behind == 's') return false;                         // WB3d
    if (is_one_of(behind, kAttached)) return false;                           // WB4
    const std::string left = testing::without_attached(text.substr(0, i), kAttached, kWalls);
    const std::string right = testing::without_attached(text.substr(i), kAttached, kWalls);
    for (const testing::BreakRule& rule : kRules) {
      if (rule.fits(left, right)) return rule.breaks;
    }
    const std::size_t flag_letters = left.size() - (left.find_last_not_of('r') + 1);
    if (behind == 'r' && flag_letters % 2 == 1) return false;  // WB15, WB16
    return true;                                               // WB999
  };
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    const testing::RandomText made = testing::random_text(kKinds, 12, random);
    Strings expected;
    std::size_t begin = 0;
    for (std::size_t c = 0; c < made.kinds.size(); ++c) {
      if (c + 1 < made.kinds.size() && !breaks(made.kinds, c + 1)) continue;
      expected.push_back(made.text.substr(begin, made.character_ends[c] - begin));
      begin = made.character_ends[c];
    }
    ASSERT_EQ(segments(made.text), expected) << made.kinds;
  }
}

TEST(WordBreak, WordsAreWhatHasALetterANumberAPictographOrAFlag) {
  EXPECT_EQ(words("The quick (\"brown\") fox can't jump 32.3 feet, right?"),
            (Strings{"The", "quick", "brown", "fox", "can't", "jump", "32.3", "feet", "right"}));
  EXPECT_EQ(words("# * -- … !"), Strings{});
  EXPECT_EQ(words("½ Ⅷ ٣ ໓"), (Strings{"½", "Ⅷ", "٣", "໓"}));
  EXPECT_EQ(words("👩‍🚀 🇩🇪🇫🇷 1️⃣"),
            (Strings{"👩‍🚀", "🇩🇪", "🇫🇷", "1️⃣"}));
  EXPECT_EQ(words("漢字 カタカナ ไท"), (Strings{"漢", "字", "カタカナ", "ไ", "ท"}));
  EXPECT_EQ(words("\u0301 \n\u0345 _ \xFF"), Strings{}) << "marks without a letter, no letters";
}

TEST(WordBreak, ALetterBehindABridgeMakesAWordOfWhatHeldNone) {
  // U+02D2 joins as a letter does (ALetter) without being one (Alphabetic).
  EXPECT_EQ(words("\u02D2"), Strings{});
  EXPECT_EQ(words("\u02D2'a"), Strings{"\u02D2'a"});
}

TEST(WordBreak, SegmentsOfRandomBytesAreTheText) {
  std::mt19937 random(2);
  for (int i = 0; i < 2000; ++i) {
    std::string text(random() % 60, '\0');
    for (char& c : text) c = static_cast<char>(random());
    std::string joined;
    for (const std::string& segment : segments(text)) joined += segment;
    ASSERT_EQ(joined, text);
  }
}

// A walk that is not linear would not come to its end within the time a test has.
TEST(WordBreak, HostileMegabytesTakeLinearTime) {
  const auto repeated = [](std::string_view unit) {
    std::string text;
    while (text.size() < 4'000'000) text += unit;
    return text;
  };
  const std::string marks = repeated("\u0301");
  for (const std::string& text :
       {marks, "a'" + marks, "א'" + marks, repeated("a'"), repeated("a'\u0301\u0301"),
        repeated("א\""), repeated("1,"), repeated("1"), repeated("🇩"), repeated("\u200D😀"),
        repeated("\r"), repeated(" "), repeated("\xF0\x9F"), repeated("\x80")}) {
    std::size_t at = 0;
    while (at < text.size()) at = next_word_segment(text, at).end;
    EXPECT_EQ(at, text.size());
  }
}

}  // namespace
}  // namespace padless
