#include <algorithm>

#include "padless/core/error.h"
#include "padless/viz/chart.h"
#include "padless/viz/chart_parts.h"
#include "padless/viz/number.h"

namespace padless::viz {
namespace {

constexpr double kBarHeight = 16;
constexpr double kBarPitch = 22;
constexpr double kGroupGap = 10;
constexpr double kWidestLabel = 112;  // of a name left of its bar; longer names stand above

struct Layout {
  bool grouped = false;  // more than one series: a heading a group, the series' names at the bars
  bool above = false;
  Area area;
  Axis axis;
};

std::string name_of(const BarChart& chart, const Layout& layout, std::size_t group,
                    std::size_t bar) {
  return layout.grouped ? chart.series[bar] : chart.groups[group].name;
}

double pitch(const Layout& layout) { return layout.above ? kBarPitch + kTextRow : kBarPitch; }

double group_height(const BarChart& chart, const Layout& layout) {
  const double bars = static_cast<double>(chart.series.size()) * pitch(layout);
  return layout.grouped ? kTextRow + 2 + bars + kGroupGap : bars;
}

void draw_bar(Svg& svg, const Layout& layout, const Bar& bar, std::size_t series, double middle) {
  const Area& area = layout.area;
  const auto x = [&](double value) { return area.x(layout.axis, value); };
  if (is_plottable(bar.estimate.value)) {
    const double from = x(std::min(bar.estimate.value, 0.0)),
                 to = x(std::max(bar.estimate.value, 0.0));
    svg.leaf("rect", {{"x", from},
                      {"y", middle - kBarHeight / 2},
                      {"width", to - from},
                      {"height", kBarHeight},
                      {"fill", "currentColor"},
                      {"class", colour_class(series)}});
  }
  if (has_interval(bar.estimate))
    draw_whisker(svg, x(bar.estimate.low), x(bar.estimate.high), middle, 5);
  for (const double single : bar.singles)
    if (is_plottable(single))
      svg.leaf("circle", {{"class", "dot"}, {"cx", x(single)}, {"cy", middle}, {"r", 2.75}});
}

}  // namespace

Markup bar_chart(const BarChart& chart) {
  Layout layout;
  layout.grouped = chart.series.size() > 1;
  Extent extent;
  double widest_name = 0, widest_value = 0;
  for (std::size_t g = 0; g < chart.groups.size(); ++g) {
    const BarGroup& group = chart.groups[g];
    require_shape(group.bars.size() == chart.series.size(), "bar_chart: group '",
                  escape_terminal(group.name), "' has ", group.bars.size(), " bars, expected ",
                  chart.series.size(), ", one per series");
    for (std::size_t s = 0; s < group.bars.size(); ++s) {
      const Bar& bar = group.bars[s];
      require_interval(bar.estimate, "bar_chart", group.name);
      include(extent, bar.estimate);
      for (const double single : bar.singles) extent.include(single);
      widest_name = std::max(widest_name, text_width(name_of(chart, layout, g, s)));
      widest_value = std::max(widest_value, text_width(fixed(bar.estimate.value, chart.decimals)));
    }
  }
  if (extent.empty()) return empty_chart(chart.alternative);
  extent.include(0);
  layout.axis = Axis::linear(extent, 4);
  layout.above = widest_name > kWidestLabel;
  layout.area.left = layout.above ? 2 : widest_name + 8;
  layout.area.right = kChartWidth - widest_value - 10;
  layout.area.top = 4;
  layout.area.bottom =
      layout.area.top + static_cast<double>(chart.groups.size()) * group_height(chart, layout);

  Svg svg(chart.alternative, kChartWidth,
          layout.area.bottom + x_axis_height(chart.value_label) + 2);
  draw_x_axis(svg, layout.area, layout.axis, chart.value_label, true);
  const double zero = layout.area.x(layout.axis, 0);
  svg.leaf("line", {{"class", "line"},
                    {"x1", zero},
                    {"x2", zero},
                    {"y1", layout.area.top},
                    {"y2", layout.area.bottom}});
  double top = layout.area.top;
  for (std::size_t g = 0; g < chart.groups.size(); ++g) {
    if (layout.grouped) {
      svg.text(0, top + 12, fitted(chart.groups[g].name, kChartWidth), {{"class", "strong halo"}});
      top += kTextRow + 2;
    }
    for (std::size_t s = 0; s < chart.series.size(); ++s) {
      const Bar& bar = chart.groups[g].bars[s];
      const std::string name = name_of(chart, layout, g, s);
      const double middle = top + pitch(layout) - kBarPitch / 2;
      if (layout.above) {
        svg.text(0, top + 12, fitted(name, kChartWidth), {{"class", "halo"}});
      } else {
        svg.text(layout.area.left - 8, middle + 4, name, {{"text-anchor", "end"}});
      }
      draw_bar(svg, layout, bar, s, middle);
      svg.text(kChartWidth, middle + 4, fixed(bar.estimate.value, chart.decimals),
               {{"text-anchor", "end"}, {"class", "num"}});
      top += pitch(layout);
    }
    if (layout.grouped) top += kGroupGap;
  }
  return svg.finish();
}

}  // namespace padless::viz
