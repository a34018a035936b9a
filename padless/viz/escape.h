// Strangers' text made harmless for the two places we write to: markup and terminals.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "padless/core/export.h"

namespace padless::viz {

/// XML or HTML that is safe to put into a page as it is: made by this room, all text in it escaped.
/// A type of its own, so that a plain string never passes for it.
struct Markup {
  std::string text;
};

/// `text` for the inside of an element or of a quoted attribute, in XML 1.0 and HTML alike. Control
/// characters, which XML cannot hold, become their pictures (U+2400 and on); what is not UTF-8
/// becomes U+FFFD.
PADLESS_API std::string escape_markup(std::string_view text);

/// What a terminal draws as one unit.
struct TerminalCell {
  std::string text;
  std::size_t columns = 0;
};

/// `text` as units that no terminal obeys: control and reordering characters as \x1b or \u{202e},
/// bytes that are not UTF-8 as \xff. A combining mark is a unit of zero columns.
PADLESS_API std::vector<TerminalCell> terminal_cells(std::string_view text);

/// The same as one string.
PADLESS_API std::string escape_terminal(std::string_view text);

}  // namespace padless::viz
