#include "padless/viz/chart.h"

#include <gtest/gtest.h>

#include <limits>

#include "padless/core/error.h"
#include "padless/testing/xml.h"

namespace padless::viz {
namespace {

using testing::count_of;
using testing::xml_fault;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

LineChart line_of(std::vector<CurvePoint> points) {
  return {{"chart", "Loss", "It falls."},  "step", "loss",
          {{"masked", std::move(points)}}, false,  {}};
}

Estimate estimate(double value, double half_width) {
  return {value, value - half_width, value + half_width};
}

TEST(Svg, SaysWhatItShowsToThoseWhoDoNotSeeIt) {
  const std::string svg = line_chart(line_of({{0, {1}}, {1, {2}}})).text;
  EXPECT_EQ(xml_fault(svg), "");
  EXPECT_NE(svg.find("role=\"img\" aria-labelledby=\"chart-title chart-desc\""), std::string::npos);
  EXPECT_NE(svg.find("<title id=\"chart-title\">Loss</title>"), std::string::npos);
  EXPECT_NE(svg.find("<desc id=\"chart-desc\">It falls.</desc>"), std::string::npos);
}

TEST(Svg, RefusesAnIdThatIsNoneAndACoordinateThatIsNotFinite) {
  EXPECT_THROW(Svg({"", "", ""}, 1, 1), ValueError);
  EXPECT_THROW(Svg({"1a", "", ""}, 1, 1), ValueError);
  EXPECT_THROW(Svg({"a\" onload=\"x", "", ""}, 1, 1), ValueError);
  Svg svg({"a", "", ""}, 1, 1);
  EXPECT_THROW(svg.leaf("line", {{"x1", kNoNumber}}), ValueError);
}

TEST(LineChart, EscapesEveryTextOfTheCaller) {
  const std::string evil = "\"><script>alert('x')</script>&\x1b";
  LineChart chart = line_of({{0, estimate(1, 1)}, {1, {2}}});
  chart.alternative.title = chart.alternative.description = chart.x_label = chart.y_label = evil;
  for (const std::size_t copies : {1u, 40u}) {  // beside the curves, and above them
    chart.curves.assign(copies, {evil, chart.curves[0].points});
    const std::string svg = line_chart(chart).text;
    EXPECT_EQ(xml_fault(svg), "");
    EXPECT_EQ(svg.find("<script"), std::string::npos);
  }
}

TEST(LineChart, GivesTheSameBytesForTheSameInput) {
  const LineChart chart = line_of({{0, estimate(1, 0.5)}, {1, {2}}, {3, {0.3}}});
  EXPECT_EQ(line_chart(chart).text, line_chart(chart).text);
}

TEST(LineChart, BreaksTheLineWhereANumberIsMissing) {
  for (const double missing : {kNoNumber, kInfinity, -kInfinity, 1e300}) {
    const std::string svg =
        line_chart(
            line_of({{0, {1}}, {1, {2}}, {2, {missing}}, {3, {1}}, {4, {2}}, {missing, {7}}}))
            .text;
    EXPECT_EQ(xml_fault(svg), "");
    EXPECT_EQ(count_of("<polyline", svg), 2u);
    EXPECT_EQ(svg.find("nan"), std::string::npos);
    EXPECT_EQ(svg.find("inf"), std::string::npos);
  }
}

TEST(LineChart, MarksEveryPointThatStandsAlone) {
  LineChart chart = line_of({});
  for (int x = 0; x < 100; ++x)
    chart.curves[0].points.push_back({static_cast<double>(x), {x % 2 == 1 ? 1 : kNoNumber}});
  chart.curves[0].name.clear();
  EXPECT_EQ(count_of("<circle", line_chart(chart).text), 50u);
}

TEST(LineChart, LeavesPointsWithoutALogarithmOut) {
  LineChart chart = line_of({{-1, {1}}, {0, {1}}, {1, {1}}, {10, {2}}});
  chart.log_x = true;
  const std::string svg = line_chart(chart).text;
  EXPECT_EQ(xml_fault(svg), "");
  EXPECT_EQ(count_of("<circle", svg), 3u);  // two points and the name's marker
}

TEST(LineChart, ShowsASinglePointAndEqualValues) {
  const std::string single = line_chart(line_of({{3, estimate(0.5, 0.1)}})).text;
  EXPECT_EQ(xml_fault(single), "");
  EXPECT_EQ(count_of("<circle", single), 2u);
  const std::string equal = line_chart(line_of({{1, {0.8}}, {1, {0.8}}, {1, {0.8}}})).text;
  EXPECT_EQ(xml_fault(equal), "");
  EXPECT_EQ(count_of("<polyline", equal), 1u);
}

TEST(LineChart, SaysSoWhenThereIsNoData) {
  LineChart nothing;
  nothing.alternative.id = "empty";
  for (const LineChart& chart : {line_of({}), line_of({{0, {kNoNumber}}}), nothing}) {
    const std::string svg = line_chart(chart).text;
    EXPECT_EQ(xml_fault(svg), "");
    EXPECT_NE(svg.find(">no data<"), std::string::npos);
  }
}

TEST(LineChart, NamesCurvesBesideThemOrInAKeyWhenTheNamesAreLong) {
  LineChart chart = line_of({{0, {1}}, {1, {2}}});
  EXPECT_NE(line_chart(chart).text.find(">masked</text>"), std::string::npos);
  chart.curves[0].name = "attention over the words of a sentence";
  EXPECT_NE(line_chart(chart).text.find(">attention over the words of a sentence</text>"),
            std::string::npos);
}

TEST(LineChart, TellsSeriesApartByDashAndMarkerToo) {
  LineChart chart = line_of({{0, {1}}, {1, {2}}});
  chart.curves.push_back({"unmasked", chart.curves[0].points});
  const std::string svg = line_chart(chart).text;
  EXPECT_NE(svg.find("stroke-dasharray=\"none\""), std::string::npos);
  EXPECT_NE(svg.find("stroke-dasharray=\"7 3\""), std::string::npos);
  EXPECT_GT(count_of("<circle", svg), 0u);
  EXPECT_GT(count_of("<polygon", svg), 0u);
}

TEST(LineChart, RefusesAnIntervalUpsideDown) {
  EXPECT_THROW(line_chart(line_of({{0, {1, 2, 0}}})), ValueError);
  EXPECT_NO_THROW(line_chart(line_of({{0, {1, kInfinity, 0}}})));  // no interval at all
}

BarChart bars() {
  BarChart chart;
  chart.alternative = {"bars", "Accuracy", ""};
  chart.series = {"exact", "no_mask"};
  chart.groups = {{"batch 1", {{estimate(0.9, 0.01), {0.89, 0.91}}, {{0.8}, {}}}},
                  {"batch 32", {{{kNoNumber}, {kNoNumber}}, {{-0.2}, {}}}}};
  return chart;
}

TEST(BarChart, DrawsBarsWhiskersAndSingles) {
  const std::string svg = bar_chart(bars()).text;
  EXPECT_EQ(xml_fault(svg), "");
  EXPECT_EQ(count_of("<rect", svg), 3u);  // a missing value has no bar
  EXPECT_EQ(count_of("class=\"dot\"", svg), 2u);
  EXPECT_EQ(count_of("class=\"ink\"", svg), 1u);  // one whisker
  EXPECT_EQ(count_of(">n/a<", svg), 1u);
  EXPECT_NE(svg.find(">0.900<"), std::string::npos);
}

TEST(BarChart, RefusesAGroupWithAnotherNumberOfBars) {
  BarChart chart = bars();
  chart.groups[1].bars.pop_back();
  try {
    bar_chart(chart);
    FAIL() << "nothing was thrown";
  } catch (const ShapeError& error) {
    EXPECT_STREQ(error.what(),
                 "bar_chart: group 'batch 32' has 1 bars, expected 2, one per series");
  }
}

TEST(BarChart, ShowsZerosAndNothing) {
  BarChart chart;
  chart.alternative.id = "zero";
  EXPECT_NE(bar_chart(chart).text.find(">no data<"), std::string::npos);
  chart.series = {""};
  chart.groups = {{"a name that is much too long to stand beside its bar", {{{0}, {}}}}};
  EXPECT_EQ(xml_fault(bar_chart(chart).text), "");
}

TEST(StripChart, DrawsADotForEveryNumber) {
  StripChart chart;
  chart.alternative = {"strip", "Accuracy", ""};
  EXPECT_NE(strip_chart(chart).text.find(">no data<"), std::string::npos);
  chart.strips = {{"exact", std::vector<double>(5000, 0.9), estimate(0.9, 0.01)},
                  {"no_mask", {0.7, kNoNumber, kInfinity, 0.8}, {}}};
  const std::string svg = strip_chart(chart).text;
  EXPECT_EQ(xml_fault(svg), "");
  EXPECT_EQ(count_of("<circle", svg), 5002u);
  EXPECT_EQ(count_of("class=\"ink\"", svg), 1u);
}

}  // namespace
}  // namespace padless::viz
