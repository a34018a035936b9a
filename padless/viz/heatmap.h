// Attention as pictures: over a text's own words, and as a matrix of queries and keys.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "padless/core/export.h"
#include "padless/viz/svg.h"

namespace padless::viz {

/// A text and the attention paid to it. Words of all sentences stand end to end; a text without
/// sentences is one sentence. The data belongs to the caller and must outlive the call.
///
/// Shapes (W words, S sentences):
///   words             [W]
///   word_weights      [W]  at least 0
///   sentence_lengths  [S]  words of each sentence; their sum is W, zeros are legal
///   sentence_weights  [S]  at least 0, drawn as shares of 1
struct AttendedText {
  std::span<const std::string> words;
  std::span<const float> word_weights;
  std::span<const std::size_t> sentence_lengths;
  std::span<const float> sentence_weights;
};

enum class TerminalColour {
  none,              ///< no escape sequences: a bar under every word
  dark_background,   ///< 256 colours; more attention is brighter
  light_background,  ///< 256 colours; more attention is darker
};

/// The terminal that heatmap_terminal writes for.
struct TerminalOptions {
  std::size_t columns = 80;  ///< lines are at most this wide; taken as at least 24
  TerminalColour colour = TerminalColour::none;
};

/// The words, each with its weight relative to the strongest word of its sentence, and before each
/// sentence its share and a bar. Control characters in the words are written as \x1b and the like,
/// so that no text can command the terminal.
///
/// Weights that are not finite are marked with "?" and count as 0; negative ones count as 0.
/// Throws ShapeError when the lengths do not fit together.
PADLESS_API std::string heatmap_terminal(const AttendedText& text, const TerminalOptions& options);

/// The same as an HTML fragment; a page that shows it needs heatmap_css().
PADLESS_API Markup heatmap_html(const AttendedText& text);
PADLESS_API std::string_view heatmap_css();

/// An attention matrix with the names of its rows and columns.
///
/// Shapes (Q queries, K keys, at most kLargestMatrix each):
///   queries [Q], keys [K]   names
///   weights [Q*K]           row after row
struct AttentionMatrix {
  Alternative alternative;
  std::span<const std::string> queries;
  std::span<const std::string> keys;
  std::span<const float> weights;
  /// The weight of the darkest cell; two matrices with the same top can be compared. 0: the largest
  /// weight.
  double top = 0;
};

inline constexpr std::size_t kLargestMatrix = 128;

/// The matrix as SVG: darker cells are larger weights, small matrices show the numbers too. Weights
/// that are not finite (a masked score of -inf) are hatched; negative ones count as 0.
/// Throws ShapeError when the lengths do not fit together, ValueError above kLargestMatrix.
PADLESS_API Markup heatmap_matrix(const AttentionMatrix& matrix);

}  // namespace padless::viz
