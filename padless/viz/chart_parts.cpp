#include "padless/viz/chart_parts.h"

#include <algorithm>

#include "padless/core/error.h"
#include "padless/core/utf8.h"
#include "padless/viz/columns.h"

namespace padless::viz {
namespace {

// Advance widths of DejaVu Sans in em, the widest of the usual system fonts: with the reader's own
// font the text is as wide or narrower.
double em_of(char32_t code) {
  constexpr std::string_view kNarrow = "iIjl'|.,:; ", kSlim = "ft()[]/r-\"!";
  constexpr std::string_view kBroad = "wABCDGHKNOQRUVX&", kBroadest = "mMW@%+=<>~";
  if (code < 0x80) {
    const char c = static_cast<char>(code);
    if (kNarrow.find(c) != std::string_view::npos) return 0.34;
    if (kSlim.find(c) != std::string_view::npos) return 0.42;
    if (kBroad.find(c) != std::string_view::npos) return 0.79;
    if (kBroadest.find(c) != std::string_view::npos) return 0.99;
    return 0.64;
  }
  constexpr double kOther = 0.68;
  return columns_of(code) == 2 ? 1 : static_cast<double>(columns_of(code)) * kOther;
}

constexpr std::string_view kDashes[] = {"none",    "7 3",       "2 3", "9 3 2 3",
                                        "4 2 4 5", "1.5 2 6 2", "12 4"};

}  // namespace

double text_width(std::string_view text) {
  double width = 0;
  while (!text.empty()) {
    const DecodedCharacter character = decode_utf8(text, 0);
    width += em_of(character.code_point) * kFontSize;
    text.remove_prefix(character.size);
  }
  return width;
}

std::string fitted(std::string_view text, double width) {
  if (text_width(text) <= width) return std::string(text);
  constexpr double kEllipsis = kFontSize;
  std::size_t bytes = 0;
  for (double used = kEllipsis; bytes < text.size();) {
    const DecodedCharacter character = decode_utf8(text, bytes);
    used += em_of(character.code_point) * kFontSize;
    if (used > width) break;
    bytes += character.size;
  }
  return std::string(text.substr(0, bytes)) + "…";
}

std::vector<std::string> fitted_lines(std::string_view text, double width) {
  if (text.empty()) return {};
  std::size_t best = std::string_view::npos;
  double least = text_width(text);
  for (std::size_t space = text.find(' '); least > width && space != std::string_view::npos;
       space = text.find(' ', space + 1)) {
    const double longer =
        std::max(text_width(text.substr(0, space)), text_width(text.substr(space + 1)));
    if (best != std::string_view::npos && longer >= least) break;  // past the middle
    best = space;
    least = longer;
  }
  if (best == std::string_view::npos) return {fitted(text, width)};
  return {fitted(text.substr(0, best), width), fitted(text.substr(best + 1), width)};
}

std::string colour_class(std::size_t series) {
  return std::string{'s', static_cast<char>('0' + series % Svg::kColours)};
}

std::string_view dashes(std::size_t series) {
  return kDashes[(series + series / Svg::kColours) % std::size(kDashes)];
}

void draw_marker(Svg& svg, std::size_t series, double x, double y, double radius) {
  const double r = radius;
  const auto polygon = [&](const std::vector<Place>& places) {
    svg.leaf("polygon", {{"points", points_attribute(places)}, {"fill", "currentColor"}});
  };
  const auto strokes = [&](const SvgPath& path) {
    svg.leaf(
        "path",
        {{"d", path.data()}, {"stroke", "currentColor"}, {"stroke-width", 2}, {"fill", "none"}});
  };
  switch (series % Svg::kColours) {
    case 0:
      return svg.leaf("circle", {{"cx", x}, {"cy", y}, {"r", r}, {"fill", "currentColor"}});
    case 1:
      return polygon({{x - r, y - r}, {x + r, y - r}, {x + r, y + r}, {x - r, y + r}});
    case 2:
      return polygon({{x, y - 1.2 * r}, {x + 1.2 * r, y + r}, {x - 1.2 * r, y + r}});
    case 3:
      return polygon({{x, y - 1.4 * r}, {x + 1.4 * r, y}, {x, y + 1.4 * r}, {x - 1.4 * r, y}});
    case 4:
      return strokes(
          SvgPath().move(x - r, y - r).line(x + r, y + r).move(x - r, y + r).line(x + r, y - r));
    case 5:
      return polygon({{x, y + 1.2 * r}, {x + 1.2 * r, y - r}, {x - 1.2 * r, y - r}});
    default: {
      const double arm = 1.3 * r;
      return strokes(SvgPath().move(x - arm, y).line(x + arm, y).move(x, y - arm).line(x, y + arm));
    }
  }
}

bool has_interval(const Estimate& estimate) {
  return is_plottable(estimate.low) && is_plottable(estimate.high);
}

void require_interval(const Estimate& estimate, std::string_view where, std::string_view name) {
  require_value(!has_interval(estimate) || estimate.low <= estimate.high, where,
                ": the interval of '", escape_terminal(name), "' is [", estimate.low, ", ",
                estimate.high, "], expected its low end first");
}

void include(Extent& extent, const Estimate& estimate) {
  extent.include(estimate.value);
  if (!has_interval(estimate)) return;
  extent.include(estimate.low);
  extent.include(estimate.high);
}

double x_axis_height(std::string_view label) {
  const std::size_t lines = fitted_lines(label, kChartWidth).size();
  return 20 + static_cast<double>(lines) * kTextRow;
}

void draw_axis_name(Svg& svg, std::string_view label, double centre, double top) {
  for (const std::string& line : fitted_lines(label, kChartWidth)) {
    const double half = text_width(line) / 2;
    const double x = std::clamp(centre, std::min(half, kChartWidth / 2),
                                std::max(kChartWidth - half, kChartWidth / 2));
    svg.text(x, top + 12, line, {{"text-anchor", "middle"}});
    top += kTextRow;
  }
}

void draw_x_axis(Svg& svg, const Area& area, const Axis& axis, std::string_view label, bool grid) {
  double free_from = 0;  // labels that would touch the one before are left out
  for (const Tick& tick : axis.ticks()) {
    const double x = area.x(axis, tick.value);
    const double half = text_width(tick.label) / 2;
    const double centre = std::clamp(x, half, kChartWidth - half);
    if (grid)
      svg.leaf("line",
               {{"class", "grid"}, {"x1", x}, {"x2", x}, {"y1", area.top}, {"y2", area.bottom}});
    if (centre - half < free_from) continue;
    free_from = centre + half + 4;
    svg.leaf(
        "line",
        {{"class", "line"}, {"x1", x}, {"x2", x}, {"y1", area.bottom}, {"y2", area.bottom + 4}});
    svg.text(centre, area.bottom + 16, tick.label,
             {{"text-anchor", "middle"}, {"class", "soft num"}});
  }
  draw_axis_name(svg, label, (area.left + area.right) / 2, area.bottom + 20);
}

void draw_whisker(Svg& svg, double low, double high, double y, double cap) {
  SvgPath path;
  path.move(low, y - cap).line(low, y + cap).move(low, y).line(high, y);
  path.move(high, y - cap).line(high, y + cap);
  svg.leaf("path", {{"class", "ink"}, {"stroke-width", 1.5}, {"d", path.data()}});
}

Markup empty_chart(const Alternative& alternative) {
  constexpr double kHeight = 60;
  Svg svg(alternative, kChartWidth, kHeight);
  svg.leaf("rect", {{"class", "grid"},
                    {"x", 0.5},
                    {"y", 0.5},
                    {"width", kChartWidth - 1},
                    {"height", kHeight - 1},
                    {"rx", 4}});
  svg.text(kChartWidth / 2, kHeight / 2 + 4, "no data",
           {{"text-anchor", "middle"}, {"class", "soft"}});
  return svg.finish();
}

}  // namespace padless::viz
