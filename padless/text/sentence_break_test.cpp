#include "padless/text/sentence_break.h"

#include <gtest/gtest.h>

#include "padless/core/utf8.h"
#include "padless/testing/unicode_break_cases.h"

namespace padless {
namespace {

using Strings = std::vector<std::string>;

Strings pieces(std::string_view text, std::size_t (*next_end)(std::string_view, std::size_t)) {
  Strings found;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = next_end(text, at);
    EXPECT_GT(end, at);
    EXPECT_LE(end, text.size());
    found.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return found;
}

Strings sentences(std::string_view text) { return pieces(text, next_sentence_end); }
Strings lines(std::string_view text) { return pieces(text, next_line_end); }

TEST(SentenceBreak, AgreesWithEveryLineOfUnicodesTest) {
  const auto cases = testing::read_break_cases("sentence_break.txt");
  ASSERT_EQ(cases.size(), 502u);
  for (const testing::BreakCase& each : cases) {
    Strings expected;
    std::string text;
    std::size_t begin = 0;
    for (const std::size_t end : each.ends) {
      std::string sentence;
      for (; begin < end; ++begin) append_utf8(sentence, each.code_points[begin]);
      expected.push_back(sentence);
      text += sentence;
    }
    EXPECT_EQ(sentences(text), expected) << each.line;
  }
}

constexpr testing::CharacterKind kKinds[] = {
    {'A', {".", "․"}},    {'A', {".", "．"}},          {'T', {"!", "。"}},
    {'C', {")", "»"}},    {'S', {" ", "\t"}},          {'L', {"a", "ж"}},
    {'U', {"B", "Ж"}},    {'O', {"א", "語"}},          {'N', {"7", "٣"}},
    {'k', {",", "-"}},    {'e', {"\u0301", "\u200D"}}, {'f', {"\u00AD", "\u2060"}},
    {'c', {"\r", "\r"}},  {'l', {"\n", "\n"}},         {'P', {"\u2029", "\u0085"}},
    {'o', {"%", "\xFF"}},
};
constexpr testing::BreakRule kRules[] = {
    {"A", "N", false},                  // SB6
    {"[UL]A", "U", false},              // SB7
    {"AC*S*", "[^OULPclAT]*L", false},  // SB8
    {"[AT]C*S*", "[kAT]", false},       // SB8a
    {"[AT]C*", "[CSPcl]", false},       // SB9
    {"[AT]C*S*", "[SPcl]", false},      // SB10
    {"[AT]C*S*", "", true},             // SB11; behind a ParaSep SB4 has broken already
};

// The rules word for word, as patterns over kinds of characters, and what patterns cannot say.
TEST(SentenceBreak, AgreesWithTheRulesReadLiterally) {
  const std::string kWalls = "clP", kAttached = "ef";
  const auto breaks = [&](const std::string& text, std::size_t i) {
    if (text[i - 1] == 'c' && text[i] == 'l') return false;          // SB3
    if (kWalls.find(text[i - 1]) != std::string::npos) return true;  // SB4
    if (kAttached.find(text[i]) != std::string::npos) return false;  // SB5
    const std::string left = testing::without_attached(text.substr(0, i), kAttached, kWalls);
    const std::string right = testing::without_attached(text.substr(i), kAttached, kWalls);
    for (const testing::BreakRule& rule : kRules) {
      if (rule.fits(left, right)) return rule.breaks;
    }
    return false;  // SB998
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
    ASSERT_EQ(sentences(made.text), expected) << made.kinds;
  }
}

TEST(SentenceBreak, AFullStopBeforeALowerCaseWordEndsNothing) {
  EXPECT_EQ(sentences("It is 3.4 m, i.e. more. Is it? (Yes.) \"No!\" he said."),
            (Strings{"It is 3.4 m, i.e. more. ", "Is it? ", "(Yes.) ", "\"No!\" ", "he said."}));
}

TEST(SentenceBreak, LinesEndAtEveryKindOfLineBreakAndNowhereElse) {
  EXPECT_EQ(lines("One. Two!\nThree\r\nFour\r\rFive\u2028Six\u2029Seven\u0085Eight\vNine."),
            (Strings{"One. Two!\n", "Three\r\n", "Four\r", "\r", "Five\u2028", "Six\u2029",
                     "Seven\u0085", "Eight\vNine."}));
}

TEST(SentenceBreak, ALineFeedBeyondTheEndOfTheTextIsNotRead) {
  const std::string_view text = "a\r\n";
  EXPECT_EQ(sentences(text.substr(0, 2)), Strings{"a\r"});
  EXPECT_EQ(lines(text.substr(0, 2)), Strings{"a\r"});
}

TEST(SentenceBreak, SentencesOfRandomBytesAreTheText) {
  std::mt19937 random(2);
  for (int i = 0; i < 2000; ++i) {
    std::string text(random() % 60, '\0');
    for (char& c : text) c = static_cast<char>(random());
    std::string joined;
    for (const std::string& sentence : sentences(text)) joined += sentence;
    ASSERT_EQ(joined, text);
    joined.clear();
    for (const std::string& line : lines(text)) joined += line;
    ASSERT_EQ(joined, text);
  }
}

// A walk that is not linear would not come to its end within the time a test has.
TEST(SentenceBreak, HostileMegabytesTakeLinearTime) {
  const auto repeated = [](std::string_view unit) {
    std::string text;
    while (text.size() < 4'000'000) text += unit;
    return text;
  };
  for (const std::string& text :
       {repeated("\u0301"), "a." + repeated("\u0301"), "a. " + repeated(")"),
        "a. " + repeated("1 "), repeated("."), repeated(". )"), repeated(".)1"), repeated(". 1"),
        repeated("a. 1 "), "a." + repeated(") ("), repeated("!"), repeated("\r"),
        repeated("\x80")}) {
    std::size_t at = 0;
    while (at < text.size()) at = next_sentence_end(text, at);
    EXPECT_EQ(at, text.size());
  }
}

}  // namespace
}  // namespace padless
