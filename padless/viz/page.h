// A report as one HTML page: no script, no outside resource, readable on a phone, in the dark, on
// paper and by a screen reader. All text is escaped; only Markup goes in as it is.
#pragma once

#include <deque>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "padless/core/export.h"
#include "padless/viz/escape.h"

namespace padless::viz {

enum class Verdict { holds, fails, mixed };

/// "holds", "fails", "mixed".
PADLESS_API std::string_view verdict_name(Verdict verdict);

/// The first cell of each row names the row. A column whose cells are all numbers is set flush
/// right.
struct Table {
  std::string caption;
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
};

/// A picture with the words below it.
struct Figure {
  Markup picture;
  std::string caption;
};

/// What a section is made of, in the order it was added.
class PADLESS_API Blocks {
 public:
  Blocks& paragraph(std::string_view text);
  Blocks& list(std::span<const std::string> items);
  /// Program text or a command, its line breaks kept.
  Blocks& code(std::string_view text);
  Blocks& subheading(std::string_view text);
  /// A badge with its word, and what it is said of.
  Blocks& verdict(Verdict verdict, std::string_view statement);
  /// Throws ShapeError when a row has not one cell per header cell.
  Blocks& table(const Table& table);
  Blocks& figure(const Figure& figure);
  /// Side by side where the screen is wide enough, one below the other on a phone.
  Blocks& figures(std::span<const Figure> figures);
  /// Content that opens when its summary is clicked; printed open only if it is open.
  Blocks& details(std::string_view summary, const Blocks& inner);
  /// Anything of this room's making, e.g. heatmap_html.
  Blocks& markup(const Markup& markup);

  const std::string& html() const { return html_; }

 private:
  std::string html_;
};

/// An HTML page of sections with a table of contents, whole in one file.
class PADLESS_API ReportPage {
 public:
  /// `language` is the text's, as HTML names it: "en", "de", "ru".
  explicit ReportPage(std::string_view title, std::string_view language = "en");

  /// What stands before the table of contents.
  Blocks& lead() { return lead_; }

  /// A new section, in the table of contents too, with its verdict if it has one. The reference
  /// stays valid. Throws ValueError when the id is malformed or already taken.
  Blocks& section(std::string_view id, std::string_view heading,
                  std::optional<Verdict> verdict = std::nullopt);

  /// One line at the end: the machine, the date, the version.
  void footer(std::string_view text) { footer_ = text; }

  /// The whole page.
  std::string html() const;

 private:
  struct Section {
    std::string id, heading;
    std::optional<Verdict> verdict;
    Blocks blocks;
  };

  std::string title_, language_, footer_;
  Blocks lead_;
  std::deque<Section> sections_;  // whose elements stay where they are
  std::set<std::string, std::less<>> ids_;
};

}  // namespace padless::viz
