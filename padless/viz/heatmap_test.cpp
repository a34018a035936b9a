#include "padless/viz/heatmap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "padless/core/error.h"
#include "padless/testing/xml.h"
#include "padless/viz/columns.h"

namespace padless::viz {
namespace {

using testing::count_of;
using testing::xml_fault;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

struct OwnedText {
  std::vector<std::string> words;
  std::vector<float> word_weights;
  std::vector<std::size_t> sentence_lengths;
  std::vector<float> sentence_weights;

  AttendedText view() const { return {words, word_weights, sentence_lengths, sentence_weights}; }
};

OwnedText short_text() {
  return {{"a", "good", "film", "!"}, {0.1f, 0.6f, 0.3f, 1.0f}, {3, 0, 1}, {0.75f, 0, 0.25f}};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines(1);
  for (const char c : text) {
    if (c == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += c;
    }
  }
  lines.pop_back();
  return lines;
}

// Columns of a line, colours left out.
std::size_t shown_columns(std::string line) {
  for (std::size_t at; (at = line.find('\x1b')) != std::string::npos;)
    line.erase(at, line.find('m', at) + 1 - at);
  return columns_of(line);
}

TEST(HeatmapTerminal, WithoutColourPutsABarUnderEachWord) {
  const std::string expected =
      " 75% ████▌   a good film\n"
      "             ▁ ████ ▄▄▄▄\n"
      "  0%         (no words)\n"
      " 25% █▌      !\n"
      "             █\n";
  std::string shown = heatmap_terminal(short_text().view(), {});
  shown.erase(shown.find("(no words)\n") + 11,
              shown.find(" 25%") - shown.find("(no words)\n") - 11);
  EXPECT_EQ(shown, expected);
}

TEST(HeatmapTerminal, ColoursAreResetAfterEveryWord) {
  for (const auto colour : {TerminalColour::dark_background, TerminalColour::light_background}) {
    const std::string shown = heatmap_terminal(short_text().view(), {80, colour});
    EXPECT_EQ(count_of("\x1b[48;5;", shown), count_of("\x1b[0m", shown));
    EXPECT_GE(count_of("\x1b[48;5;", shown), 3u);
  }
}

TEST(HeatmapTerminal, NeverExceedsItsWidthAndLosesNothing) {
  OwnedText text;
  for (int i = 0; i < 60; ++i)
    text.words.push_back(i % 7 == 0 ? "中文字典" : std::string(i % 13, 'w'));
  text.words.push_back(std::string(300, 'x'));
  text.word_weights.assign(text.words.size(), 0.5f);
  text.sentence_lengths = {text.words.size()};
  text.sentence_weights = {1};
  for (const std::size_t columns : {0u, 24u, 40u, 80u, 200u}) {
    for (const auto colour : {TerminalColour::none, TerminalColour::dark_background}) {
      const std::string shown = heatmap_terminal(text.view(), {columns, colour});
      for (const std::string& line : lines_of(shown))
        EXPECT_LE(shown_columns(line), std::max<std::size_t>(columns, 24));
      EXPECT_EQ(count_of("x", shown), 300u);
      EXPECT_EQ(count_of("中", shown), 9u);
    }
  }
}

TEST(HeatmapTerminal, BreaksNoWordThatFitsIntoALine) {
  OwnedText text{{"aaaaa", "bbbbbb", "cccc"}, {1, 1, 1}, {3}, {1}};  // 11 columns for words
  const std::string shown = heatmap_terminal(text.view(), {24, TerminalColour::none});
  EXPECT_NE(shown.find("aaaaa\n"), std::string::npos);
  EXPECT_NE(shown.find("bbbbbb cccc\n"), std::string::npos);
}

TEST(HeatmapTerminal, NoTextCommandsTheTerminal) {
  OwnedText text{{"\x1b[2J", "\x9b", "\u009b", "\r", "a\u202eb"}, {1, 1, 1, 1, 1}, {5}, {1}};
  const std::string shown = heatmap_terminal(text.view(), {});
  EXPECT_NE(shown.find("\\x1b[2J \\x9b \\u{9b} \\x0d a\\u{202e}b"), std::string::npos);
  for (const char c : shown) EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 || c == '\n');
}

TEST(Heatmap, MarksWeightsThatAreNoNumbers) {
  const float infinity = std::numeric_limits<float>::infinity();
  OwnedText text{{"a", "b", "c", "d"}, {kNan, infinity, -3, 0}, {4}, {kNan}};
  EXPECT_NE(heatmap_terminal(text.view(), {}).find("a? b? c d"), std::string::npos);
  const std::string html = heatmap_html(text.view()).text;
  EXPECT_EQ(xml_fault(html), "");
  EXPECT_EQ(count_of("pv-unknown", html), 2u);
  EXPECT_EQ(count_of("--w:0\"", html), 3u);
  EXPECT_EQ(html.find("nan"), std::string::npos);
}

TEST(Heatmap, ScalesWordsToTheStrongestOfTheirSentence) {
  const std::string html = heatmap_html(short_text().view()).text;
  EXPECT_EQ(xml_fault(html), "");
  EXPECT_NE(html.find("<span style=\"--w:0.5\" title=\"0.3\">film</span>"), std::string::npos);
  EXPECT_NE(html.find("<span style=\"--w:1\" title=\"0.6\">good</span>"), std::string::npos);
  EXPECT_NE(html.find("75%<i style=\"--w:0.75\">"), std::string::npos);
}

TEST(HeatmapHtml, EscapesTheText) {
  OwnedText text{{"<script>", "\"&'", "\x1b"}, {1, 1, kNan}, {3}, {1}};
  const std::string html = heatmap_html(text.view()).text;
  EXPECT_EQ(xml_fault(html), "");
  EXPECT_NE(html.find("&lt;script&gt;"), std::string::npos);
}

TEST(HeatmapHtml, ShowsFiveThousandWords) {
  OwnedText text;
  text.words.assign(5000, "word");
  text.word_weights.assign(5000, 1.0f / 5000);
  text.sentence_lengths.assign(50, 100);
  text.sentence_weights.assign(50, 0.02f);
  const std::string html = heatmap_html(text.view()).text;
  EXPECT_EQ(xml_fault(html), "");
  EXPECT_EQ(count_of(">word</span>", html), 5000u);
  EXPECT_EQ(html, heatmap_html(text.view()).text);
}

TEST(Heatmap, OfNothingIsEmpty) {
  EXPECT_EQ(heatmap_terminal({}, {}), "");
  EXPECT_EQ(heatmap_html({}).text, "<ol class=\"pv-text\"></ol>");
}

TEST(Heatmap, RefusesLengthsThatDoNotFit) {
  const auto refuses = [](auto change, const std::string& message) {
    OwnedText text = short_text();
    change(text);
    try {
      heatmap_html(text.view());
      FAIL() << "nothing was thrown";
    } catch (const ShapeError& error) {
      EXPECT_EQ(error.what(), message);
    }
  };
  refuses([](OwnedText& text) { text.word_weights.pop_back(); },
          "heatmap_html: word_weights is [3], expected [4], one per word");
  refuses([](OwnedText& text) { text.sentence_weights.pop_back(); },
          "heatmap_html: sentence_weights is [2], expected [3], one per sentence");
  refuses([](OwnedText& text) { text.sentence_lengths[0] = 2; },
          "heatmap_html: sentence_lengths add up to 3, expected 4, the number of words");
  // A sum that wraps around to 4 is not 4.
  refuses(
      [](OwnedText& text) {
        text.sentence_lengths = {3, static_cast<std::size_t>(-1), 2};
      },
      "heatmap_html: sentence_lengths add up to more than the 4 words");
}

std::vector<std::string> names(std::size_t count) {
  std::vector<std::string> out(count);
  for (std::size_t i = 0; i < count; ++i) out[i] = message("w", i, "<");
  return out;
}

TEST(HeatmapMatrix, HatchesWhatIsMasked) {
  const auto queries = names(2), keys = names(3);
  const std::vector<float> weights = {0.5f, 0.5f, -std::numeric_limits<float>::infinity(),
                                      1,    0,    kNan};
  const std::string svg =
      heatmap_matrix({{"m", "After the mask", ""}, queries, keys, weights, 0}).text;
  EXPECT_EQ(xml_fault(svg), "");
  EXPECT_EQ(count_of("<path", svg), 2u);
  EXPECT_EQ(count_of(">0.50<", svg), 2u);
}

TEST(HeatmapMatrix, ComparesMatricesOnOneScale) {
  const auto both = names(1);
  const std::vector<float> half = {0.5f};
  EXPECT_NE(heatmap_matrix({{"m", "", ""}, both, both, half, 1}).text.find("fill-opacity=\"0.5\""),
            std::string::npos);
}

TEST(HeatmapMatrix, ShowsEverySizeUpToItsLimit) {
  for (const std::size_t size : {0u, 1u, 8u, 40u, 128u}) {
    const auto both = names(size);
    for (const float weight : {0.0f, 0.25f, kNan}) {
      const std::vector<float> weights(size * size, weight);
      const std::string svg = heatmap_matrix({{"m", "", ""}, both, both, weights, 0}).text;
      EXPECT_EQ(xml_fault(svg), "") << size;
    }
  }
  const auto rows = names(129), columns = names(1);
  const std::vector<float> weights(129);
  EXPECT_THROW(heatmap_matrix({{"m", "", ""}, rows, columns, weights, 0}), ValueError);
  EXPECT_THROW(heatmap_matrix({{"m", "", ""}, columns, columns, weights, 0}), ShapeError);
}

}  // namespace
}  // namespace padless::viz
