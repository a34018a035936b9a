#include "padless/viz/page.h"

#include <algorithm>
#include <initializer_list>

#include "padless/core/error.h"
#include "padless/viz/heatmap.h"
#include "padless/viz/page_style.h"
#include "padless/viz/svg.h"

namespace padless::viz {
namespace {

std::string joined(std::initializer_list<std::string_view> parts) {
  std::string out;
  for (const std::string_view part : parts) out += part;
  return out;
}

std::string element(std::string_view tag, std::string_view text) {
  return joined({"<", tag, ">", escape_markup(text), "</", tag, ">"});
}

// Said by the word first; the sign and the border say it to those who do not see the colour.
std::string badge(Verdict verdict) {
  const std::string_view name = verdict_name(verdict);
  const std::string_view sign = verdict == Verdict::holds   ? "✓"
                                : verdict == Verdict::fails ? "✗"
                                                            : "~";
  return joined({" <span class=\"badge ", name, "\"><span aria-hidden=\"true\">", sign, " </span>",
                 name, "</span>"});
}

// Digits with what stands around them in a table: signs, points, percent, exponents, ±, spaces.
bool is_number(std::string_view cell) {
  const bool has_digit = cell.find_first_of("0123456789") != std::string_view::npos;
  const bool plain =
      cell.find_first_not_of("0123456789+-.,%e×±−–[]() \u00a0") == std::string_view::npos;
  return (has_digit && plain) || cell.empty() || cell == "n/a" || cell == "–";
}

bool is_number_column(const Table& table, std::size_t column) {
  return !table.rows.empty() &&
         std::all_of(table.rows.begin(), table.rows.end(),
                     [&](const auto& row) { return is_number(row[column]); });
}

std::string table_cell(std::string_view tag, std::string_view attributes, bool number,
                       std::string_view text) {
  return joined(
      {"<", tag, attributes, number ? " class=\"n\">" : ">", escape_markup(text), "</", tag, ">"});
}

}  // namespace

std::string_view verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::holds:
      return "holds";
    case Verdict::fails:
      return "fails";
    default:
      return "mixed";
  }
}

Blocks& Blocks::paragraph(std::string_view text) {
  html_ += element("p", text) + "\n";
  return *this;
}

Blocks& Blocks::list(std::span<const std::string> items) {
  if (items.empty()) return *this;  // a list without items is no HTML
  html_ += "<ul>";
  for (const std::string& item : items) html_ += element("li", item);
  html_ += "</ul>\n";
  return *this;
}

Blocks& Blocks::code(std::string_view text) {
  html_ += "<pre tabindex=\"0\">" + element("code", text) + "</pre>\n";
  return *this;
}

Blocks& Blocks::subheading(std::string_view text) {
  html_ += element("h3", text) + "\n";
  return *this;
}

Blocks& Blocks::verdict(Verdict verdict, std::string_view statement) {
  html_ += "<p class=\"verdict\">" + badge(verdict) + " <span>" + escape_markup(statement) +
           "</span></p>\n";
  return *this;
}

Blocks& Blocks::table(const Table& table) {
  std::vector<bool> number(table.header.size());
  for (std::size_t r = 0; r < table.rows.size(); ++r)
    require_shape(table.rows[r].size() == table.header.size(), "Blocks::table: row ", r, " of '",
                  escape_terminal(table.caption), "' has ", table.rows[r].size(),
                  " cells, expected ", table.header.size(), " as in the header");
  for (std::size_t c = 1; c < table.header.size(); ++c) number[c] = is_number_column(table, c);

  // What scrolls must be reachable by keyboard, and then needs a name.
  html_ += "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"" +
           escape_markup(table.caption.empty() ? "table" : table.caption) + "\"><table>";
  if (!table.caption.empty()) html_ += element("caption", table.caption);
  html_ += "<thead><tr>";
  for (std::size_t c = 0; c < table.header.size(); ++c)
    html_ += table_cell("th", " scope=\"col\"", number[c], table.header[c]);
  html_ += "</tr></thead><tbody>";
  for (const auto& row : table.rows) {
    html_ += "<tr>";
    for (std::size_t c = 0; c < row.size(); ++c)
      html_ += table_cell(c == 0 ? "th" : "td", c == 0 ? " scope=\"row\"" : "", number[c], row[c]);
    html_ += "</tr>";
  }
  html_ += "</tbody></table></div>\n";
  return *this;
}

Blocks& Blocks::figure(const Figure& figure) {
  html_ += "<figure>";
  html_ += figure.picture.text;
  if (!figure.caption.empty()) html_ += element("figcaption", figure.caption);
  html_ += "</figure>\n";
  return *this;
}

Blocks& Blocks::figures(std::span<const Figure> figures) {
  html_ += "<div class=\"figures\">\n";
  for (const Figure& each : figures) figure(each);
  html_ += "</div>\n";
  return *this;
}

Blocks& Blocks::details(std::string_view summary, const Blocks& inner) {
  html_ += "<details>" + element("summary", summary) + "\n" + inner.html() + "</details>\n";
  return *this;
}

Blocks& Blocks::markup(const Markup& markup) {
  html_ += markup.text + "\n";
  return *this;
}

ReportPage::ReportPage(std::string_view title, std::string_view language)
    : title_(title), language_(language), ids_{"content", "contents"} {}

Blocks& ReportPage::section(std::string_view id, std::string_view heading,
                            std::optional<Verdict> verdict) {
  require_id(id, "ReportPage::section");
  for (const std::string& taken : {std::string(id), std::string(id) + "-heading"})
    require_value(!ids_.contains(taken), "ReportPage::section: the id '", taken,
                  "' is taken, expected one that nothing else in the page has");
  ids_.insert({std::string(id), std::string(id) + "-heading"});
  sections_.push_back({std::string(id), std::string(heading), verdict, {}});
  return sections_.back().blocks;
}

std::string ReportPage::html() const {
  std::string out =
      joined({"<!DOCTYPE html>\n<html lang=\"", escape_markup(language_), "\">\n<head>\n",
              "<meta charset=\"utf-8\"/>\n",
              "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n",
              "<meta name=\"color-scheme\" content=\"light dark\"/>\n", element("title", title_),
              "\n<style>", kPageStyle, heatmap_css(), "</style>\n</head>\n<body>\n",
              "<a class=\"skip\" href=\"#content\">Skip to the content</a>\n", "<header>\n",
              element("h1", title_), "\n", lead_.html(), "</header>\n<div class=\"columns\">\n"});
  if (!sections_.empty()) {
    out += "<nav aria-labelledby=\"contents\"><h2 id=\"contents\">Contents</h2><ol>";
    for (const Section& section : sections_)
      out += joined({"<li><a href=\"#", section.id, "\">", element("span", section.heading),
                     section.verdict ? badge(*section.verdict) : "", "</a></li>"});
    out += "</ol></nav>\n";
  }
  out += "<main id=\"content\">\n";
  for (const Section& section : sections_)
    out += joined({"<section id=\"", section.id, "\" aria-labelledby=\"", section.id,
                   "-heading\">\n", "<h2 id=\"", section.id, "-heading\">",
                   escape_markup(section.heading), section.verdict ? badge(*section.verdict) : "",
                   "</h2>\n", section.blocks.html(), "</section>\n"});
  out += "</main>\n</div>\n";
  if (!footer_.empty()) out += joined({"<footer>", element("p", footer_), "</footer>\n"});
  return out + "</body>\n</html>\n";
}

}  // namespace padless::viz
