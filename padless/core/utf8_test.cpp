#include "padless/core/utf8.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <vector>

namespace padless {
namespace {

std::u32string decoded(std::string_view text) {
  // On the heap without a byte to spare, so that a sanitizer sees every read outside.
  const std::unique_ptr<char[]> copy(new char[text.size()]);
  text.copy(copy.get(), text.size());
  std::u32string code_points;
  for (std::size_t at = 0; at < text.size();) {
    const DecodedCharacter character = decode_utf8({copy.get(), text.size()}, at);
    code_points.push_back(character.code_point);
    at += character.size;
    EXPECT_LE(at, text.size());
  }
  return code_points;
}

TEST(Utf8, EveryCodePointReadsBack) {
  for (char32_t code_point = 0; code_point <= 0x10FFFF; ++code_point) {
    if (code_point >= 0xD800 && code_point <= 0xDFFF) continue;
    std::string text;
    append_utf8(text, code_point);
    const DecodedCharacter character = decode_utf8(text, 0);
    ASSERT_EQ(character.code_point, code_point);
    ASSERT_EQ(character.size, text.size());
    ASSERT_FALSE(character.is_malformed);
  }
}

// The Unicode Standard 15.0, tables 3-8 to 3-11.
TEST(Utf8, EachMaximalSubpartOfMalformedBytesIsOneReplacementCharacter) {
  constexpr char32_t R = kReplacementCharacter;
  EXPECT_EQ(decoded("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41"),
            (std::u32string{R, R, R, R, R, R, R, R, 0x41}));  // overlong forms
  EXPECT_EQ(decoded("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41"),
            (std::u32string{R, R, R, R, R, R, R, R, 0x41}));  // surrogates
  EXPECT_EQ(decoded("\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42"),
            (std::u32string{R, R, R, R, R, 0x41, R, R, 0x42}));  // above U+10FFFF
  EXPECT_EQ(decoded("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41"),
            (std::u32string{R, R, R, R, 0x41}));  // cut off
}

TEST(Utf8, AReplacementCharacterInTheTextIsNotMalformed) {
  EXPECT_FALSE(decode_utf8("\uFFFD", 0).is_malformed);
  EXPECT_TRUE(decode_utf8("\xEF\xBF", 0).is_malformed);
  EXPECT_EQ(find_malformed_utf8("ab\uFFFD"), std::nullopt);
  EXPECT_EQ(find_malformed_utf8("ab\xEF\xBF"), 2u);
}

TEST(Utf8, ASequenceIsNotReadBeyondTheEndOfTheText) {
  const std::string_view euro = "\u20AC";
  const DecodedCharacter character = decode_utf8(euro.substr(0, 2), 0);
  EXPECT_TRUE(character.is_malformed);
  EXPECT_EQ(character.size, 2u);
}

TEST(Utf8, WellFormedTextIsTheDecodedTextWrittenAgain) {
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    std::string text(random() % 12, '\0');
    for (char& c : text) c = static_cast<char>(random() % 4 == 0 ? random() % 128 : random());
    std::string written, expected;
    append_well_formed(written, text);
    for (const char32_t code_point : decoded(text)) append_utf8(expected, code_point);
    ASSERT_EQ(written, expected);
    ASSERT_EQ(find_malformed_utf8(written), std::nullopt);
  }
}

}  // namespace
}  // namespace padless
