// Charts as SVG: lines with bands, bars with whiskers, strips of dots.
//
// Every chart is 360 units wide, so that its text stays above 11 pixels on the narrowest phone,
// names its series beside what it draws, and tells them apart by shape and dash as well as by
// colour. The same input gives the same bytes.
//
// Numbers that are not finite, or larger than 1e100 in size, are gaps: nothing is drawn there, and
// they do not move the axes. A chart without any number shows "no data".
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "padless/core/export.h"
#include "padless/viz/svg.h"

namespace padless::viz {

inline constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

/// What an estimate is, and the ends of its interval; without both ends no interval is drawn.
struct Estimate {
  double value = kNoNumber;
  double low = kNoNumber;
  double high = kNoNumber;
};

/// One point of a curve.
struct CurvePoint {
  double x = kNoNumber;
  Estimate y;
};

/// Points are joined in the order given; a gap breaks the line.
struct Curve {
  std::string name;
  std::vector<CurvePoint> points;
};

/// What line_chart draws.
struct LineChart {
  Alternative alternative;
  std::string x_label;
  std::string y_label;
  std::vector<Curve> curves;
  /// A logarithmic x axis; points at x < 1e-100 are gaps then.
  bool log_x = false;
  /// The y axis always covers these, e.g. 0 and 1 for a share.
  std::vector<double> y_covers;
};

/// Curves with their intervals as bands. Throws ValueError when an interval's low end is above its
/// high end.
PADLESS_API Markup line_chart(const LineChart& chart);

/// One bar: an estimate, and the single results behind it (one per seed), drawn as dots.
struct Bar {
  Estimate estimate;
  std::vector<double> singles;
};

/// One bar per series, in the order of BarChart::series.
struct BarGroup {
  std::string name;
  std::vector<Bar> bars;
};

/// What bar_chart draws.
struct BarChart {
  Alternative alternative;
  std::string value_label;
  std::vector<std::string> series;
  std::vector<BarGroup> groups;
  int decimals = 3;  ///< of the values written beside the bars
};

/// Horizontal bars from zero, one group below the other. For differences that are small beside the
/// values themselves take strip_chart, whose axis need not start at zero. Throws ShapeError when a
/// group has not one bar per series, ValueError as line_chart does.
PADLESS_API Markup bar_chart(const BarChart& chart);

/// One row of dots, with an estimate and its interval where given.
struct Strip {
  std::string name;
  std::vector<double> singles;
  Estimate estimate;
};

/// What strip_chart draws.
struct StripChart {
  Alternative alternative;
  std::string value_label;
  std::vector<Strip> strips;
  int decimals = 3;  ///< of the estimates written beside the rows
};

/// One row per strip on an axis that fits the values. Throws ValueError as line_chart does.
PADLESS_API Markup strip_chart(const StripChart& chart);

}  // namespace padless::viz
