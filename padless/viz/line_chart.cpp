#include <algorithm>
#include <cmath>

#include "padless/viz/chart.h"
#include "padless/viz/chart_parts.h"

namespace padless::viz {
namespace {

constexpr double kPlotHeight = 190;
constexpr double kGap = 6;               // between the plot and texts beside it
constexpr double kWidestLabel = 100;     // of a name at the end of its curve
constexpr double kLeaderGap = 9;         // room for the lines to such names
constexpr double kLabelPitch = 14;       // between such names
constexpr std::size_t kMostMarkers = 9;  // per curve

bool shows(const LineChart& chart, const CurvePoint& point) {
  const bool has_x = chart.log_x ? is_plottable_log(point.x) : is_plottable(point.x);
  return has_x && is_plottable(point.y.value);
}

struct Plot {
  const LineChart& chart;
  Axis x, y;
  Area area;

  bool shows(const CurvePoint& point) const { return padless::viz::shows(chart, point); }
  bool shows_band(const CurvePoint& point) const { return shows(point) && has_interval(point.y); }
  Place place(double at_x, double at_y) const { return {area.x(x, at_x), area.y(y, at_y)}; }
  Place place(const CurvePoint& point) const { return place(point.x, point.y.value); }
};

// Calls run(first, last) for every longest stretch of points for which `has` holds.
template <class Has, class Run>
void for_each_run(const std::vector<CurvePoint>& points, Has has, Run run) {
  auto first = points.begin();
  while ((first = std::find_if(first, points.end(), has)) != points.end()) {
    const auto last = std::find_if_not(first, points.end(), has);
    run(first, last);
    first = last;
  }
}

void draw_band(Svg& svg, const Plot& plot, const Curve& curve) {
  for_each_run(
      curve.points, [&](const CurvePoint& point) { return plot.shows_band(point); },
      [&](auto first, auto last) {
        if (last - first == 1) {  // a band without width: a whisker
          const Place low = plot.place(first->x, first->y.low);
          const Place high = plot.place(first->x, first->y.high);
          svg.leaf("line", {{"x1", low.x},
                            {"y1", low.y},
                            {"x2", high.x},
                            {"y2", high.y},
                            {"stroke", "currentColor"},
                            {"stroke-width", 1.5}});
          return;
        }
        std::vector<Place> outline;
        for (auto p = first; p != last; ++p) outline.push_back(plot.place(p->x, p->y.high));
        for (auto p = last; p != first;) {
          --p;
          outline.push_back(plot.place(p->x, p->y.low));
        }
        svg.leaf("polygon", {{"points", points_attribute(outline)},
                             {"fill", "currentColor"},
                             {"fill-opacity", 0.18}});
      });
}

void draw_curve(Svg& svg, const Plot& plot, std::size_t series) {
  const Curve& curve = plot.chart.curves[series];
  const std::size_t every = (curve.points.size() + kMostMarkers - 1) / kMostMarkers;
  for_each_run(
      curve.points, [&](const CurvePoint& point) { return plot.shows(point); },
      [&](auto first, auto last) {
        std::vector<Place> places;
        for (auto p = first; p != last; ++p) places.push_back(plot.place(*p));
        if (places.size() > 1)
          svg.leaf("polyline", {{"points", points_attribute(places)},
                                {"fill", "none"},
                                {"stroke", "currentColor"},
                                {"stroke-width", 2},
                                {"stroke-linejoin", "round"},
                                {"stroke-dasharray", dashes(series)}});
        for (std::size_t i = 0; i < places.size(); ++i) {
          const std::size_t index = static_cast<std::size_t>(first - curve.points.begin()) + i;
          // A point that stands alone has no line to be seen by; markers of different curves are
          // set apart, so that curves on top of each other show both.
          const bool marked = places.size() == 1 || index % every == series % every;
          if (marked) draw_marker(svg, series, places[i].x, places[i].y, 3.5);
        }
      });
}

struct EndLabel {
  std::size_t series;
  Place end;  // of the curve
  double y;   // of the name
};

// Moves labels, sorted by height, apart to kLabelPitch: those that would touch form a block that is
// centred on where they would like to be.
void spread(std::vector<EndLabel>& labels, double top, double bottom) {
  struct Block {
    double wish = 0;  // the sum, over its labels, of where each would put the block's first label
    std::size_t count = 0;
    double first() const { return wish / static_cast<double>(count); }
  };
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    // Without the pitches before them, labels only need to keep their order.
    blocks.push_back({labels[i].y - static_cast<double>(i) * kLabelPitch, 1});
    while (blocks.size() > 1 && blocks.back().first() < blocks[blocks.size() - 2].first()) {
      const Block last = blocks.back();
      blocks.pop_back();
      blocks.back().wish += last.wish;
      blocks.back().count += last.count;
    }
  }
  std::size_t i = 0;
  const double lowest_first = bottom - static_cast<double>(labels.size() - 1) * kLabelPitch;
  for (const Block& block : blocks) {
    const double first = std::clamp(block.first(), top, std::max(top, lowest_first));
    for (std::size_t k = 0; k < block.count; ++k, ++i)
      labels[i].y = first + static_cast<double>(i) * kLabelPitch;
  }
}

// Names at the ends of their curves, moved apart where they would touch.
std::vector<EndLabel> end_labels(const Plot& plot) {
  std::vector<EndLabel> labels;
  for (std::size_t s = 0; s < plot.chart.curves.size(); ++s) {
    const auto& points = plot.chart.curves[s].points;
    const auto last = std::find_if(points.rbegin(), points.rend(),
                                   [&](const CurvePoint& point) { return plot.shows(point); });
    if (last == points.rend() || plot.chart.curves[s].name.empty()) continue;
    const Place end = plot.place(*last);
    labels.push_back({s, end, end.y});
  }
  std::stable_sort(labels.begin(), labels.end(),
                   [](const EndLabel& a, const EndLabel& b) { return a.end.y < b.end.y; });
  spread(labels, plot.area.top, plot.area.bottom);
  return labels;
}

void draw_end_labels(Svg& svg, const Plot& plot) {
  constexpr double kNear = 2;
  const double x = plot.area.right + kLeaderGap;
  for (const EndLabel& label : end_labels(plot)) {
    const bool away =
        std::abs(label.y - label.end.y) > kNear || plot.area.right - label.end.x > kNear;
    if (away)
      svg.leaf("line", {{"class", "line"},
                        {"x1", label.end.x + 4},
                        {"y1", label.end.y},
                        {"x2", x + 2},
                        {"y2", label.y},
                        {"stroke-width", 0.75}});
    svg.open("g", {{"class", colour_class(label.series)}});
    draw_marker(svg, label.series, x + 6, label.y, 3.5);
    svg.close();
    svg.text(x + 14, label.y + 4, plot.chart.curves[label.series].name);
  }
}

// The key above the plot, for names too long or too many to stand beside it: a row each.
double draw_key(Svg& svg, const LineChart& chart, double top) {
  for (std::size_t s = 0; s < chart.curves.size(); ++s) {
    if (chart.curves[s].name.empty()) continue;
    const double y = top + kTextRow / 2;
    svg.open("g", {{"class", colour_class(s)}});
    svg.leaf("line", {{"x1", 2},
                      {"x2", 32},
                      {"y1", y},
                      {"y2", y},
                      {"stroke", "currentColor"},
                      {"stroke-width", 2},
                      {"stroke-dasharray", dashes(s)}});
    draw_marker(svg, s, 17, y, 3.5);
    svg.close();
    svg.text(40, y + 4, fitted(chart.curves[s].name, kChartWidth - 40));
    top += kTextRow;
  }
  return top;
}

void draw_y_axis(Svg& svg, const Plot& plot) {
  for (const Tick& tick : plot.y.ticks()) {
    const double y = plot.area.y(plot.y, tick.value);
    svg.leaf(
        "line",
        {{"class", "grid"}, {"x1", plot.area.left}, {"x2", plot.area.right}, {"y1", y}, {"y2", y}});
    svg.text(plot.area.left - kGap, y + 4, tick.label,
             {{"text-anchor", "end"}, {"class", "soft num"}});
  }
}

double widest(const std::vector<Tick>& ticks) {
  double width = 0;
  for (const Tick& tick : ticks) width = std::max(width, text_width(tick.label));
  return width;
}

}  // namespace

Markup line_chart(const LineChart& chart) {
  Extent x_extent, y_extent;
  double widest_name = 0;
  std::size_t named = 0;
  for (const Curve& curve : chart.curves) {
    for (const CurvePoint& point : curve.points) {
      require_interval(point.y, "line_chart", curve.name);
      if (!shows(chart, point)) continue;
      x_extent.include(point.x);
      include(y_extent, point.y);
    }
    widest_name = std::max(widest_name, text_width(curve.name));
    named += curve.name.empty() ? 0 : 1;
  }
  if (x_extent.empty()) return empty_chart(chart.alternative);
  for (const double value : chart.y_covers) y_extent.include(value);

  constexpr std::size_t kTicks = 5;
  Plot plot{chart,
            chart.log_x ? Axis::logarithmic(x_extent, kTicks + 1) : Axis::linear(x_extent, kTicks),
            Axis::linear(y_extent, kTicks),
            {}};
  const bool beside =
      widest_name <= kWidestLabel && static_cast<double>(named) * kLabelPitch <= kPlotHeight;
  const double key_height = beside ? 0 : static_cast<double>(named) * kTextRow + kGap;
  const auto y_name = fitted_lines(chart.y_label, kChartWidth);
  const double y_name_height = 8 + static_cast<double>(y_name.size()) * kTextRow;
  plot.area.left = widest(plot.y.ticks()) + kGap;
  plot.area.right = kChartWidth - (beside && named > 0 ? widest_name + kLeaderGap + 14 : kGap);
  plot.area.top = key_height + y_name_height;
  plot.area.bottom = plot.area.top + kPlotHeight;

  Svg svg(chart.alternative, kChartWidth, plot.area.bottom + x_axis_height(chart.x_label) + 2);
  if (!beside) draw_key(svg, chart, 0);
  for (std::size_t i = 0; i < y_name.size(); ++i)
    svg.text(0, key_height + 12 + static_cast<double>(i) * kTextRow, y_name[i]);
  draw_y_axis(svg, plot);
  svg.leaf("line", {{"class", "line"},
                    {"x1", plot.area.left},
                    {"x2", plot.area.right},
                    {"y1", plot.area.bottom},
                    {"y2", plot.area.bottom}});
  draw_x_axis(svg, plot.area, plot.x, chart.x_label, false);
  for (std::size_t s = 0; s < chart.curves.size(); ++s) {
    svg.open("g", {{"class", colour_class(s)}});
    draw_band(svg, plot, chart.curves[s]);
    svg.close();
  }
  for (std::size_t s = 0; s < chart.curves.size(); ++s) {
    svg.open("g", {{"class", colour_class(s)}});
    svg.hint(chart.curves[s].name);
    draw_curve(svg, plot, s);
    svg.close();
  }
  if (beside) draw_end_labels(svg, plot);
  return svg.finish();
}

}  // namespace padless::viz
