#include <algorithm>
#include <cmath>
#include <map>

#include "padless/viz/chart.h"
#include "padless/viz/chart_parts.h"
#include "padless/viz/number.h"

namespace padless::viz {
namespace {

constexpr double kRowHeight = 34;
constexpr double kWidestLabel = 112;  // of a name left of its row; longer names stand above
constexpr double kDotRadius = 3;
constexpr double kSpread = 11;  // dots stay this near to the middle of their row

// Dots that would cover each other are set above and below the middle in turn, nearer to it the
// more there are. No chance is involved: the same values give the same picture.
void draw_dots(Svg& svg, const Area& area, const Axis& axis, const std::vector<double>& values,
               double middle) {
  std::map<long, std::vector<double>> columns;
  for (const double value : values) {
    if (!is_plottable(value)) continue;
    const double x = area.x(axis, value);
    columns[std::lround(x / (2 * kDotRadius))].push_back(x);
  }
  for (const auto& [column, places] : columns) {
    const std::size_t pairs = places.size() / 2;
    const double step =
        pairs > 0 ? std::min(2 * kDotRadius + 1, kSpread / static_cast<double>(pairs)) : 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
      const std::size_t pair = (i + 1) / 2;
      const double level = static_cast<double>(pair) * (i % 2 == 1 ? -1 : 1);
      svg.leaf("circle", {{"cx", places[i]},
                          {"cy", middle + level * step},
                          {"r", kDotRadius},
                          {"fill", "currentColor"},
                          {"fill-opacity", 0.55}});
    }
  }
}

void draw_estimate(Svg& svg, const Area& area, const Axis& axis, const Estimate& estimate,
                   double middle) {
  if (has_interval(estimate))
    draw_whisker(svg, area.x(axis, estimate.low), area.x(axis, estimate.high), middle, 5);
  if (!is_plottable(estimate.value)) return;
  const double x = area.x(axis, estimate.value);
  svg.leaf("polygon",
           {{"class", "dot"},
            {"stroke-width", 1.5},
            {"points", points_attribute(
                           {{x, middle - 6}, {x + 6, middle}, {x, middle + 6}, {x - 6, middle}})}});
}

}  // namespace

Markup strip_chart(const StripChart& chart) {
  Extent extent;
  double widest_name = 0, widest_value = 0;
  for (const Strip& strip : chart.strips) {
    require_interval(strip.estimate, "strip_chart", strip.name);
    include(extent, strip.estimate);
    for (const double single : strip.singles) extent.include(single);
    widest_name = std::max(widest_name, text_width(strip.name));
    if (is_plottable(strip.estimate.value))
      widest_value =
          std::max(widest_value, text_width(fixed(strip.estimate.value, chart.decimals)));
  }
  if (extent.empty()) return empty_chart(chart.alternative);

  const bool above = widest_name > kWidestLabel;
  const double pitch = above ? kRowHeight + kTextRow : kRowHeight;
  const Axis axis = Axis::linear(extent, 4);
  Area area;
  area.left = above ? 8 : widest_name + 14;
  area.right = kChartWidth - (widest_value > 0 ? widest_value + 14 : 8);
  area.top = 4;
  area.bottom = area.top + static_cast<double>(chart.strips.size()) * pitch;

  Svg svg(chart.alternative, kChartWidth, area.bottom + x_axis_height(chart.value_label) + 2);
  draw_x_axis(svg, area, axis, chart.value_label, true);
  svg.leaf("line", {{"class", "line"},
                    {"x1", area.left},
                    {"x2", area.right},
                    {"y1", area.bottom},
                    {"y2", area.bottom}});
  for (std::size_t i = 0; i < chart.strips.size(); ++i) {
    const Strip& strip = chart.strips[i];
    const double top = area.top + static_cast<double>(i) * pitch;
    const double middle = top + pitch - kRowHeight / 2;
    if (above) {
      svg.text(0, top + 12, fitted(strip.name, kChartWidth), {{"class", "halo"}});
    } else {
      svg.text(area.left - 14, middle + 4, strip.name, {{"text-anchor", "end"}});
    }
    svg.open("g", {{"class", colour_class(i)}});
    draw_dots(svg, area, axis, strip.singles, middle);
    svg.close();
    draw_estimate(svg, area, axis, strip.estimate, middle);
    if (is_plottable(strip.estimate.value))
      svg.text(kChartWidth, middle + 4, fixed(strip.estimate.value, chart.decimals),
               {{"text-anchor", "end"}, {"class", "num"}});
  }
  return svg.finish();
}

}  // namespace padless::viz
