// What the charts have in common: sizes, markers, axes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "padless/viz/axis.h"
#include "padless/viz/chart.h"
#include "padless/viz/svg.h"

namespace padless::viz {

inline constexpr double kChartWidth = 360;
inline constexpr double kFontSize = 12;
inline constexpr double kTextRow = 16;

/// How wide a text will be drawn, on the generous side: no font is known here.
double text_width(std::string_view text);

/// `text`, shortened to fit into `width`.
std::string fitted(std::string_view text, double width);

/// `text` in one line of `width`, or in two about equal ones, shortened where they do not fit.
std::vector<std::string> fitted_lines(std::string_view text, double width);

/// The class of a series: its colour.
std::string colour_class(std::size_t series);
/// Its stroke-dasharray; "none" for the first. Series of the same colour differ in their dashes.
std::string_view dashes(std::size_t series);
/// Its marker, in the current colour.
void draw_marker(Svg& svg, std::size_t series, double x, double y, double radius);

/// Both ends of the interval are there.
bool has_interval(const Estimate& estimate);
/// Throws ValueError when an interval is upside down.
void require_interval(const Estimate& estimate, std::string_view where, std::string_view name);
/// Includes the value and the interval.
void include(Extent& extent, const Estimate& estimate);

/// The part of the picture where data is drawn.
struct Area {
  double left = 0, right = 0, top = 0, bottom = 0;
  double x(const Axis& axis, double value) const {
    return left + axis.place(value) * (right - left);
  }
  double y(const Axis& axis, double value) const {
    return bottom - axis.place(value) * (bottom - top);
  }
};

/// Height that draw_x_axis needs below the area.
double x_axis_height(std::string_view label);
/// The name of an axis as lines, the first at `top`, around `centre` where the picture's width
/// allows.
void draw_axis_name(Svg& svg, std::string_view label, double centre, double top);
/// Tick labels and the axis' name below the area; with `grid`, lines through it.
void draw_x_axis(Svg& svg, const Area& area, const Axis& axis, std::string_view label, bool grid);

/// A whisker from low to high at height `y`.
void draw_whisker(Svg& svg, double low, double high, double y, double cap);

/// The picture of a chart without a number.
Markup empty_chart(const Alternative& alternative);

}  // namespace padless::viz
