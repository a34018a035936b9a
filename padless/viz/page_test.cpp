#include "padless/viz/page.h"

#include <gtest/gtest.h>

#include "padless/core/error.h"
#include "padless/testing/xml.h"
#include "padless/viz/chart.h"
#include "padless/viz/heatmap.h"

namespace padless::viz {
namespace {

using testing::count_of;
using testing::xml_fault;

Table small_table() {
  return {"Accuracy",
          {"variant", "accuracy", "note"},
          {{"exact", "0.9 ± 0.1", "x"}, {"none", "n/a", ""}}};
}

ReportPage full_page(const std::string& text) {
  const std::vector<std::string> words = {text, text}, items = {text};
  const std::vector<float> weights = {0.5f, 0.5f}, shares = {1};
  const std::vector<std::size_t> lengths = {2};
  const Markup heatmap = heatmap_html({words, weights, lengths, shares});
  const Markup chart =
      line_chart({{"line", text, text}, text, text, {{text, {{0, {1}}}}}, false, {}});

  ReportPage page(text, "en");
  page.lead().paragraph(text).verdict(Verdict::mixed, text);
  Blocks numbers;
  numbers.table({text, {text, text}, {{text, text}}}).code(text);
  const std::vector<Figure> figures = {{chart, text}, {heatmap, text}};
  page.section("S1", text, Verdict::fails).subheading(text).list(items).figures(figures);
  page.section("S2", text).details(text, numbers).markup(heatmap).table(small_table());
  page.footer(text);
  return page;
}

TEST(ReportPage, IsWellFormedWhateverTheTextIs) {
  for (const std::string text : {"plain", "", "</style></script><script>alert(\"x\")</script>",
                                 "'\"><img src=x onerror=alert(1)>", "&amp;", "\x1b\xff\x01\n"}) {
    const std::string html = full_page(text).html();
    EXPECT_EQ(xml_fault(html), "") << text;
    EXPECT_EQ(html.find("<script"), std::string::npos);
    EXPECT_EQ(html.find("<img"), std::string::npos);
  }
}

TEST(ReportPage, NeedsNothingFromOutside) {
  const std::string html = full_page("text").html();
  for (const char* outside : {"src=", "url(", "@import", "<link", "<script", "href=\"http"})
    EXPECT_EQ(html.find(outside), std::string::npos) << outside;
  EXPECT_EQ(count_of("http", html), 1u);  // the name of SVG's own namespace
}

TEST(ReportPage, GivesTheSameBytesForTheSameContent) {
  EXPECT_EQ(full_page("text").html(), full_page("text").html());
}

TEST(ReportPage, HasLanguageSkipLinkLandmarksAndContents) {
  const std::string html = full_page("Title").html();
  for (const char* part :
       {"<html lang=\"en\">", "<a class=\"skip\" href=\"#content\">", "<main id=\"content\">",
        "<a href=\"#S1\">", "<section id=\"S1\" aria-labelledby=\"S1-heading\">",
        "<h2 id=\"S1-heading\">Title", "name=\"viewport\"", "<th scope=\"col\"",
        "<th scope=\"row\""})
    EXPECT_NE(html.find(part), std::string::npos) << part;
}

TEST(ReportPage, SaysVerdictsInWords) {
  Blocks blocks;
  blocks.verdict(Verdict::holds, "a").verdict(Verdict::fails, "b").verdict(Verdict::mixed, "c");
  for (const char* word : {"</span>holds</span>", "</span>fails</span>", "</span>mixed</span>"})
    EXPECT_NE(blocks.html().find(word), std::string::npos) << word;
}

TEST(ReportPage, RefusesAnIdThatIsTakenOrMalformed) {
  ReportPage page("Title");
  page.section("S1", "One");
  EXPECT_THROW(page.section("S1", "Again"), ValueError);
  EXPECT_THROW(page.section("S1-heading", "The heading's own"), ValueError);
  EXPECT_THROW(page.section("content", "The page's own"), ValueError);
  EXPECT_THROW(page.section("a b", "Malformed"), ValueError);
}

TEST(ReportPage, SectionsStayWhereTheyAre) {
  ReportPage page("Title");
  Blocks& first = page.section("a", "First");
  for (int i = 0; i < 100; ++i) page.section(message("b", i), "More");
  first.paragraph("added late");
  const std::string html = page.html();
  EXPECT_LT(html.find("added late"), html.find("<section id=\"b0\""));
}

TEST(Table, SetsColumnsOfNumbersFlushRight) {
  Blocks blocks;
  blocks.table(small_table());
  EXPECT_EQ(count_of(" class=\"n\"", blocks.html()), 3u);  // the header and both cells
  EXPECT_NE(blocks.html().find("<td class=\"n\">0.9 ± 0.1</td>"), std::string::npos);
}

TEST(Table, RefusesARowOfAnotherLength) {
  Table table = small_table();
  table.rows[1].pop_back();
  Blocks blocks;
  try {
    blocks.table(table);
    FAIL() << "nothing was thrown";
  } catch (const ShapeError& error) {
    EXPECT_STREQ(error.what(),
                 "Blocks::table: row 1 of 'Accuracy' has 2 cells, expected 3 as in the header");
  }
  EXPECT_EQ(blocks.html(), "");
}

}  // namespace
}  // namespace padless::viz
