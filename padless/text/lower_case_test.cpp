#include "padless/text/lower_case.h"

#include <gtest/gtest.h>

#include "padless/core/utf8.h"

namespace padless {
namespace {

TEST(LowerCase, MapsLettersOfEveryScriptThatHasCase) {
  EXPECT_EQ(lower_case("Hello, WORLD 42"), "hello, world 42");
  EXPECT_EQ(lower_case("ÄÖÜẞ ŒUVRE ŁÓDŹ"), "äöüß œuvre łódź");
  EXPECT_EQ(lower_case("ДОМ Ёж ӁҐ"), "дом ёж ӂґ");
  EXPECT_EQ(lower_case("ԱԲԳ ႠႡ ᲐᲑ Ꭰ 𐐀 Ⅷ Ⓜ Ａ"),
            "աբգ ⴀⴁ აბ ꭰ 𐐨 ⅷ ⓜ ａ");
  EXPECT_EQ(lower_case("漢字 ひらがな العربية ß"), "漢字 ひらがな العربية ß");
}

TEST(LowerCase, TakesTheFullMappingWhereItIsTwoCharacters) {
  EXPECT_EQ(lower_case("İSTANBUL"), "i\u0307stanbul");
  EXPECT_EQ(lower_case("I"), "i") << "of no language in particular";
}

TEST(LowerCase, EverySecondLetterOfAnAlternatingRangeIsMappedAndNoOther) {
  EXPECT_EQ(lower_case("\u0100\u0101\u012E\u012F\u0139\u013A"),
            "\u0101\u0101\u012F\u012F\u013A\u013A");
  EXPECT_EQ(lower_case("\u01C4\u01C5\u01C6"), "\u01C6\u01C6\u01C6") << "capital, title, small";
}

TEST(LowerCase, IsIdempotentOnEveryCharacter) {
  for (char32_t code_point = 0; code_point <= 0x10FFFF; ++code_point) {
    if (code_point >= 0xD800 && code_point <= 0xDFFF) continue;
    std::string character;
    append_utf8(character, code_point);
    const std::string lower = lower_case(character);
    ASSERT_FALSE(lower.empty());
    ASSERT_EQ(lower_case(lower), lower) << std::hex << static_cast<std::uint32_t>(code_point);
  }
}

TEST(LowerCase, ASigmaIsFinalBehindACasedLetterAndBeforeNone) {
  EXPECT_EQ(lower_case("ΟΔΟΣ"), "οδος");
  EXPECT_EQ(lower_case("ΣΟΦΟΣ"), "σοφος");
  EXPECT_EQ(lower_case("Σ"), "σ");
  EXPECT_EQ(lower_case("ΣΣ"), "σς");
  EXPECT_EQ(lower_case("1Σ"), "1σ");
  EXPECT_EQ(lower_case("Α\u0301Σ"), "α\u0301ς") << "a mark is stepped over";
  EXPECT_EQ(lower_case("ΑΣ\u0301"), "ας\u0301");
  EXPECT_EQ(lower_case("ΑΣ'Α"), "ασ'α") << "an apostrophe is stepped over";
  EXPECT_EQ(lower_case("ΑΣ'1"), "ας'1");
  EXPECT_EQ(lower_case("'Σ"), "'σ");
}

TEST(LowerCase, MalformedBytesBecomeReplacementCharacters) {
  EXPECT_EQ(lower_case("A\xFF\xE2\x82"), "a\uFFFD\uFFFD");
}

// A look-ahead that is not linear would not come to its end within the time a test has.
TEST(LowerCase, ManySigmasTakeLinearTime) {
  std::string sigmas, marks = "Α";
  while (sigmas.size() < 4'000'000) sigmas += "Σ'";
  while (marks.size() < 4'000'000) marks += "\u0301Σ\u0301";
  EXPECT_EQ(lower_case(sigmas).size(), sigmas.size());
  EXPECT_EQ(lower_case(marks).size(), marks.size());
}

}  // namespace
}  // namespace padless
