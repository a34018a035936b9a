#include "padless/viz/escape.h"

#include <gtest/gtest.h>

#include <limits>

#include "padless/viz/columns.h"
#include "padless/viz/number.h"

namespace padless::viz {
namespace {

TEST(EscapeMarkup, LeavesNoTagQuoteOrAmpersand) {
  EXPECT_EQ(escape_markup("<script>alert(\"x\" & 'y')</script>"),
            "&lt;script&gt;alert(&quot;x&quot; &amp; &#39;y&#39;)&lt;/script&gt;");
}

TEST(EscapeMarkup, ShowsControlCharactersAsPictures) {
  using namespace std::string_view_literals;
  EXPECT_EQ(escape_markup("a\0b\x1b[31m\x7f\r"sv), "a␀b␛[31m␡␍");
  EXPECT_EQ(escape_markup("a\tb\n"), "a\tb\n");
  EXPECT_EQ(escape_markup("\u0085\uffff"), "\ufffd\ufffd");
}

TEST(EscapeMarkup, KeepsValidUtf8AndReplacesBrokenBytes) {
  EXPECT_EQ(escape_markup("дом 中文 🙂"), "дом 中文 🙂");
  EXPECT_EQ(escape_markup("\xff"), "\ufffd");
  EXPECT_EQ(escape_markup("\xc0\xbc"), "\ufffd\ufffd");                 // an overlong '<'
  EXPECT_EQ(escape_markup("\xe0\x80\xbc"), "\ufffd\ufffd\ufffd");       // in three bytes
  EXPECT_EQ(escape_markup("\xed\xa0\x80"), "\ufffd\ufffd\ufffd");       // a surrogate
  EXPECT_EQ(escape_markup("\xf4\x90\x80\x80").substr(0, 3), "\ufffd");  // beyond U+10FFFF
  EXPECT_EQ(escape_markup("a\xe4\xb8"), "a\ufffd");                     // cut off
  EXPECT_EQ(escape_markup("\xe4<b"), "\ufffd&lt;b");                    // swallows nothing
}

TEST(EscapeTerminal, LetsNoByteThroughThatATerminalObeys) {
  EXPECT_EQ(escape_terminal("\x1b]0;title\x07\r\n"), "\\x1b]0;title\\x07\\x0d\\x0a");
  EXPECT_EQ(escape_terminal("\u009b31m"), "\\u{9b}31m");
  EXPECT_EQ(escape_terminal("\x9b"), "\\x9b");
  EXPECT_EQ(escape_terminal("\xe4\xb8"), "\\xe4\\xb8");
  EXPECT_EQ(escape_terminal("a\u202eb\ufeff"), "a\\u{202e}b\\u{feff}");
  std::string every_byte;
  for (int byte = 0; byte < 256; ++byte) every_byte += static_cast<char>(byte);
  for (const char c : escape_terminal(every_byte)) EXPECT_TRUE(c >= 0x20 && c < 0x7F);
}

TEST(TerminalCells, KnowWideAndCombiningCharacters) {
  EXPECT_EQ(columns_of("дом"), 3u);
  EXPECT_EQ(columns_of("中文"), 4u);
  EXPECT_EQ(columns_of("e\u0301"), 1u);
  EXPECT_EQ(terminal_cells("\x1b").front().columns, 4u);
}

TEST(Number, PrintsFixedDecimalsWithoutMinusZero) {
  EXPECT_EQ(fixed(0.125, 3), "0.125");
  EXPECT_EQ(fixed(-0.0001, 2), "0.00");
  EXPECT_EQ(fixed(-1, 1), "-1.0");
  EXPECT_EQ(fixed(std::numeric_limits<double>::quiet_NaN(), 2), "n/a");
  EXPECT_EQ(fixed(-std::numeric_limits<double>::infinity(), 2), "n/a");
  EXPECT_EQ(fixed(1e308, 17).size(), 309u + 18u);
}

TEST(Number, TrimsZerosOnlyAfterThePoint) {
  EXPECT_EQ(trimmed(1.5, 3), "1.5");
  EXPECT_EQ(trimmed(100, 2), "100");
  EXPECT_EQ(trimmed(100, 0), "100");
  EXPECT_EQ(trimmed(-0.001, 2), "0");
  EXPECT_EQ(scientific(0.00001, 2), "1e-5");
  EXPECT_EQ(scientific(2.5e20, 2), "2.5e20");
  EXPECT_EQ(scientific(0, 2), "0");
  EXPECT_EQ(scientific(1, 2), "1e0");
}

}  // namespace
}  // namespace padless::viz
