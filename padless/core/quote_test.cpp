#include "padless/core/quote.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace padless {
namespace {

TEST(Quote, FitsOneLineOfAMessage) {
  EXPECT_EQ(quote("caf\xC3\xA9"), "\"caf\xC3\xA9\"");
  EXPECT_EQ(quote("a\nb\xE9"), "\"a\\x0ab\\xe9\"");
  EXPECT_EQ(quote(std::string_view("\0", 1)), "\"\\x00\"");
  EXPECT_EQ(quote(std::string(100, 'x'), 5), "\"xxxxx...\"");
  EXPECT_EQ(quote("12345", 5), "\"12345\"");
  EXPECT_EQ(quote("1234\xE2\x82\xAC!", 5), "\"1234\xE2\x82\xAC...\"");  // never half a character
}

TEST(Quote, ShowsWhatHidesOrReordersText) {
  EXPECT_EQ(quote("a\u202eb\u009bc\ufeff"), "\"a\\u{202e}b\\u{9b}c\\u{feff}\"");
}

TEST(Quote, ShowsEachByteOfWhatIsCutOff) { EXPECT_EQ(quote("\xE2\x82"), "\"\\xe2\\x82\""); }

}  // namespace
}  // namespace padless
