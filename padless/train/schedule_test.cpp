#include "padless/train/schedule.h"

#include <gtest/gtest.h>

#include <numbers>

namespace padless {
namespace {

TEST(Schedule, RisesInAStraightLineAndFallsInHalfACosine) {
  const Schedule schedule{.warmup = 0.2};
  EXPECT_EQ(schedule.at(0), 0);
  EXPECT_DOUBLE_EQ(schedule.at(0.05), 0.25);
  EXPECT_DOUBLE_EQ(schedule.at(0.2), 1);
  EXPECT_DOUBLE_EQ(schedule.at(0.4), 0.5 + 0.5 * std::numbers::sqrt2 / 2);
  EXPECT_DOUBLE_EQ(schedule.at(0.6), 0.5);
  EXPECT_NEAR(schedule.at(1), 0, 1e-16);
}

TEST(Schedule, RisesAndFallsInStraightLines) {
  const Schedule schedule{.shape = ScheduleShape::linear, .warmup = 0.2};
  EXPECT_EQ(schedule.at(0), 0);
  EXPECT_DOUBLE_EQ(schedule.at(0.05), 0.25);
  EXPECT_DOUBLE_EQ(schedule.at(0.2), 1);
  EXPECT_DOUBLE_EQ(schedule.at(0.4), 0.75);
  EXPECT_DOUBLE_EQ(schedule.at(0.6), 0.5);
  EXPECT_EQ(schedule.at(1), 0);
}

TEST(Schedule, RisesAndStays) {
  const Schedule schedule{.shape = ScheduleShape::constant, .warmup = 0.2};
  EXPECT_DOUBLE_EQ(schedule.at(0.05), 0.25);
  EXPECT_EQ(schedule.at(0.2), 1);
  EXPECT_EQ(schedule.at(0.6), 1);
  EXPECT_EQ(schedule.at(1), 1);
}

TEST(Schedule, StartsAtThePeakWithoutWarmUp) {
  for (const auto& [shape, name] : schedule_names()) {
    EXPECT_EQ((Schedule{.shape = shape, .warmup = 0}.at(0)), 1) << name;
  }
}

}  // namespace
}  // namespace padless
