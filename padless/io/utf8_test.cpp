#include "padless/io/utf8.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace padless {
namespace {

TEST(Utf8, WellFormedTextHasNoInvalidByte) {
  for (const std::string text : {"", "plain", "\xC3\xA9", "\xE2\x82\xAC", "\xED\x9F\xBF",
                                 "\xEE\x80\x80", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_EQ(find_invalid_utf8(text), text.size()) << quote(text);
  }
}

TEST(Utf8, IllFormedTextIsFoundAtItsFirstByte) {
  for (const std::string bad :
       {"\x80", "\xC0\xAF", "\xC1\xBF", "\xC3", "\xC3(", "\xE0\x9F\xBF", "\xE2\x82", "\xED\xA0\x80",
        "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF\xFE", "\xE2\x82("}) {
    EXPECT_EQ(find_invalid_utf8("ab" + bad), 2U) << quote(bad);
    EXPECT_EQ(find_invalid_utf8("ab" + bad + "more text"), 2U) << quote(bad);
  }
}

TEST(Utf8, NothingBehindTheTextIsRead) {
  EXPECT_EQ(find_invalid_utf8(std::string_view("\xE2\x82\xAC", 2)), 0U);
}

TEST(Utf8, QuotedTextFitsOneLineOfAMessage) {
  EXPECT_EQ(quote("caf\xC3\xA9"), "\"caf\xC3\xA9\"");
  EXPECT_EQ(quote("a\nb\xE9"), "\"a\\x0ab\\xe9\"");
  EXPECT_EQ(quote(std::string(100, 'x'), 5), "\"xxxxx...\"");
  EXPECT_EQ(quote("12345", 5), "\"12345\"");
  EXPECT_EQ(quote("1234\xE2\x82\xAC!", 5), "\"1234\xE2\x82\xAC...\"");  // never half a character
}

}  // namespace
}  // namespace padless
