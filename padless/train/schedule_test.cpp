#include "padless/train/schedule.h"

#include <gtest/gtest.h>

namespace padless {
namespace {

TEST(WarmupCosine, RisesInAStraightLineAndFallsInHalfACosine) {
  const WarmupCosine schedule{.warmup = 0.2};
  EXPECT_EQ(schedule.at(0), 0);
  EXPECT_DOUBLE_EQ(schedule.at(0.05), 0.25);
  EXPECT_DOUBLE_EQ(schedule.at(0.2), 1);
  EXPECT_DOUBLE_EQ(schedule.at(0.6), 0.5);
  EXPECT_NEAR(schedule.at(1), 0, 1e-16);
}

TEST(WarmupCosine, StartsAtThePeakWithoutWarmUp) { EXPECT_EQ(WarmupCosine{.warmup = 0}.at(0), 1); }

}  // namespace
}  // namespace padless
