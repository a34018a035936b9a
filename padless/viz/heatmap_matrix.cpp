#include <algorithm>
#include <cmath>

#include "padless/core/error.h"
#include "padless/viz/chart_parts.h"
#include "padless/viz/heatmap.h"
#include "padless/viz/number.h"

namespace padless::viz {
namespace {

constexpr double kWidestLabel = 92;
constexpr double kLargestCell = 44;
constexpr double kCellWithNumber = 32;  // from here on a cell has room for "0.00"
constexpr double kLabelPitch = 13;      // between labels, at least
constexpr std::size_t kKeySteps = 6;

struct Grid {
  double left = 0, top = 0, cell = 0;
};

double widest(std::span<const std::string> names) {
  double width = 0;
  for (const std::string& name : names) width = std::max(width, text_width(name));
  return std::min(width, kWidestLabel);
}

// Where cells are smaller than a line of text, only every n-th is named.
std::size_t label_every(double cell) {
  return static_cast<std::size_t>(std::max(1.0, std::ceil(kLabelPitch / cell)));
}

void draw_labels(Svg& svg, const AttentionMatrix& matrix, const Grid& grid) {
  const std::size_t every = label_every(grid.cell);
  const auto middle = [&](std::size_t i) { return (static_cast<double>(i) + 0.5) * grid.cell; };
  for (std::size_t q = 0; q < matrix.queries.size(); q += every)
    svg.text(grid.left - 6, grid.top + middle(q) + 4, fitted(matrix.queries[q], kWidestLabel),
             {{"text-anchor", "end"}});
  for (std::size_t k = 0; k < matrix.keys.size(); k += every) {
    const std::string x = SvgValue(grid.left + middle(k) + 4).text();
    const std::string y = SvgValue(grid.top - 6).text();
    svg.text(grid.left + middle(k) + 4, grid.top - 6, fitted(matrix.keys[k], kWidestLabel),
             {{"transform", message("rotate(-90 ", x, " ", y, ")")}});
  }
}

void draw_hatch(Svg& svg, double x, double y, double size) {
  const double half = size / 2;
  SvgPath hatch;
  hatch.move(x, y + half).line(x + half, y).move(x, y + size).line(x + size, y);
  hatch.move(x + half, y + size).line(x + size, y + half);
  svg.leaf("rect", {{"class", "grid"}, {"x", x}, {"y", y}, {"width", size}, {"height", size}});
  svg.leaf("path", {{"class", "line"}, {"stroke-width", 0.75}, {"d", hatch.data()}});
}

void draw_cells(Svg& svg, const AttentionMatrix& matrix, const Grid& grid, double top) {
  const double gap = grid.cell >= 8 ? 1 : 0;
  const double size = grid.cell - gap;
  for (std::size_t q = 0; q < matrix.queries.size(); ++q) {
    for (std::size_t k = 0; k < matrix.keys.size(); ++k) {
      const float weight = matrix.weights[q * matrix.keys.size() + k];
      const double x = grid.left + static_cast<double>(k) * grid.cell;
      const double y = grid.top + static_cast<double>(q) * grid.cell;
      if (!std::isfinite(weight)) {
        draw_hatch(svg, x, y, size);
        continue;
      }
      const double shade = top > 0 ? std::clamp(weight / top, 0.0, 1.0) : 0;
      svg.leaf("rect", {{"class", "heat"},
                        {"x", x},
                        {"y", y},
                        {"width", size},
                        {"height", size},
                        {"fill-opacity", shade}});
      if (grid.cell >= kCellWithNumber)
        svg.text(x + size / 2, y + size / 2 + 4, fixed(weight, 2),
                 {{"text-anchor", "middle"}, {"class", "num"}});
    }
  }
}

void draw_key(Svg& svg, double left, double y, double top) {
  constexpr double kSwatch = 16;
  svg.text(left, y + 11, "0", {{"class", "soft num"}});
  double x = left + 14;
  for (std::size_t i = 0; i < kKeySteps; ++i, x += kSwatch)
    svg.leaf("rect", {{"class", "heat"},
                      {"x", x},
                      {"y", y},
                      {"width", kSwatch},
                      {"height", 14},
                      {"fill-opacity", static_cast<double>(i) / (kKeySteps - 1)}});
  svg.leaf("rect", {{"class", "line"},
                    {"x", left + 14},
                    {"y", y},
                    {"width", kKeySteps * kSwatch},
                    {"height", 14},
                    {"stroke-width", 0.75}});
  svg.text(x + 6, y + 11, trimmed(top, 3), {{"class", "soft num"}});
}

}  // namespace

Markup heatmap_matrix(const AttentionMatrix& matrix) {
  const std::size_t rows = matrix.queries.size(), columns = matrix.keys.size();
  require_shape(matrix.weights.size() == rows * columns, "heatmap_matrix: weights is [",
                matrix.weights.size(), "], expected [", rows * columns, "] for ", rows,
                " queries and ", columns, " keys");
  require_value(rows <= kLargestMatrix && columns <= kLargestMatrix, "heatmap_matrix: ", rows,
                " queries and ", columns, " keys, expected at most ", kLargestMatrix,
                " of each; draw a part of the matrix");
  if (rows == 0 || columns == 0) return empty_chart(matrix.alternative);

  double top = matrix.top;
  if (!(top > 0)) {
    top = 0;
    for (const float weight : matrix.weights)
      if (std::isfinite(weight)) top = std::max<double>(top, weight);
  }
  Grid grid;
  grid.left = widest(matrix.queries) + 8;
  grid.top = widest(matrix.keys) + 10;
  grid.cell = std::min(kLargestCell, (kChartWidth - grid.left - 2) / static_cast<double>(columns));
  const double bottom = grid.top + static_cast<double>(rows) * grid.cell;

  Svg svg(matrix.alternative, kChartWidth, bottom + 28);
  draw_cells(svg, matrix, grid, top);
  svg.leaf("rect", {{"class", "line"},
                    {"x", grid.left - 0.5},
                    {"y", grid.top - 0.5},
                    {"width", static_cast<double>(columns) * grid.cell},
                    {"height", static_cast<double>(rows) * grid.cell},
                    {"stroke-width", 0.75}});
  draw_labels(svg, matrix, grid);
  draw_key(svg, grid.left, bottom + 10, top);
  return svg.finish();
}

}  // namespace padless::viz
