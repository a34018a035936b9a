#include "padless/viz/axis.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace padless::viz {
namespace {

Extent extent_of(std::initializer_list<double> values) {
  Extent extent;
  for (const double value : values) extent.include(value);
  return extent;
}

std::vector<std::string> labels(const Axis& axis) {
  std::vector<std::string> out;
  for (const Tick& tick : axis.ticks()) out.push_back(tick.label);
  return out;
}

using Labels = std::vector<std::string>;

TEST(Axis, HasRoundTicks) {
  EXPECT_EQ(labels(Axis::linear(extent_of({0, 1}), 5)),
            (Labels{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
  EXPECT_EQ(labels(Axis::linear(extent_of({0.842, 0.913}), 4)),
            (Labels{"0.84", "0.86", "0.88", "0.90", "0.92"}));
  EXPECT_EQ(labels(Axis::linear(extent_of({0, 40000}), 4)),
            (Labels{"0", "10k", "20k", "30k", "40k"}));
  EXPECT_EQ(labels(Axis::linear(extent_of({-1, 1}), 4)),
            (Labels{"-1.0", "-0.5", "0.0", "0.5", "1.0"}));
  EXPECT_EQ(labels(Axis::linear(extent_of({0, 4e-9}), 4)),
            (Labels{"0", "1e-9", "2e-9", "3e-9", "4e-9"}));
}

TEST(Axis, LetsAnEndPassATickByALittle) {
  const Axis axis = Axis::linear(extent_of({-0.03, 1.03}), 5);
  EXPECT_EQ(axis.low(), -0.03);
  EXPECT_EQ(axis.high(), 1.03);
  EXPECT_EQ(axis.ticks().front().value, 0);
}

TEST(Axis, WidensASingleValueAndAnEmptyExtent) {
  const Axis single = Axis::linear(extent_of({0.8, 0.8}), 4);
  EXPECT_LT(single.low(), 0.8);
  EXPECT_GT(single.high(), 0.8);
  EXPECT_GE(single.ticks().size(), 2u);
  EXPECT_EQ(Axis::linear(extent_of({0}), 4).low(), -1);
  EXPECT_EQ(Axis::linear(Extent(), 4).high(), 1);
  EXPECT_EQ(Axis::logarithmic(extent_of({8}), 4).low(), 4);
}

TEST(Axis, LogarithmicTicksThinOutAsTheSpanGrows) {
  EXPECT_EQ(labels(Axis::logarithmic(extent_of({8, 600}), 6)),
            (Labels{"10", "20", "50", "100", "200", "500"}));
  EXPECT_EQ(labels(Axis::logarithmic(extent_of({1, 10000}), 5)),
            (Labels{"1", "10", "100", "1000", "10k"}));
  EXPECT_EQ(labels(Axis::logarithmic(extent_of({1e-6, 1e6}), 5)).size(), 5u);
  EXPECT_EQ(labels(Axis::logarithmic(extent_of({6, 7}), 5)), (Labels{"6", "7"}));
}

TEST(Axis, PlacesItsEndsAtZeroAndOne) {
  const Axis axis = Axis::logarithmic(extent_of({1, 100}), 5);
  EXPECT_DOUBLE_EQ(axis.place(1), 0);
  EXPECT_DOUBLE_EQ(axis.place(10), 0.5);
  EXPECT_DOUBLE_EQ(axis.place(100), 1);
}

TEST(Axis, StaysFiniteForEveryExtentThatCanBePlotted) {
  constexpr double kValues[] = {0, 1e-320, 1e-100, 1e-9, 1, 1 + 1e-15, 3e5, 1e100};
  for (const double a : kValues) {
    for (const double b : kValues) {
      for (const double low : {-a, a}) {
        const Axis axis = Axis::linear(extent_of({low, b}), 5);
        EXPECT_TRUE(axis.low() < axis.high()) << low << " " << b;
        EXPECT_TRUE(axis.ticks().size() >= 2 && axis.ticks().size() <= 12) << low << " " << b;
        EXPECT_TRUE(std::isfinite(axis.place(b))) << low << " " << b;
      }
      if (!is_plottable_log(a) || !is_plottable_log(b)) continue;
      const Axis axis = Axis::logarithmic(extent_of({a, b}), 5);
      EXPECT_TRUE(std::isfinite(axis.place(a)) && std::isfinite(axis.place(b))) << a << " " << b;
      EXPECT_TRUE(axis.ticks().size() >= 2 && axis.ticks().size() <= 5) << a << " " << b;
    }
  }
}

TEST(Axis, ExtentLeavesOutWhatCannotBePlotted) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(extent_of({std::nan(""), infinity, -infinity, 1e101}).empty());
  EXPECT_FALSE(is_plottable_log(0));
  EXPECT_FALSE(is_plottable_log(-1));
}

}  // namespace
}  // namespace padless::viz
