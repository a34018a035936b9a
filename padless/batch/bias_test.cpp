#include "padless/batch/bias.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include "padless/testing/masks.h"

namespace padless {
namespace {

using testing::array;
using testing::expect_refused;

using Floats = std::vector<float>;

TEST(Bias, IsAddedPerHeadOrShared) {
  const AttentionSizes sizes = {.batch = 2, .heads = 2, .queries = 2, .keys = 1};
  const Bias shared = Bias::of(array(Floats{1, 2}, {1, 1, 2, 1}), sizes);
  EXPECT_EQ(shared.row(1, 1, 1)[0], 2);
  const Bias per_head = Bias::of(array(Floats{1, 2, 3, 4}, {1, 2, 2, 1}), sizes);
  EXPECT_EQ(per_head.row(1, 0, 1)[0], 2);
  EXPECT_EQ(per_head.row(1, 1, 1)[0], 4);
  const Bias zeros_and_ones = Bias::of(array(Floats{0, 1}, {1, 1, 2, 1}), sizes);
  EXPECT_EQ(zeros_and_ones.row(0, 0, 1)[0], 1);
}

TEST(Bias, IsFinite) {
  const AttentionSizes sizes = {.batch = 1, .keys = 2};
  for (const float odd : {std::numeric_limits<float>::infinity(),
                          -std::numeric_limits<float>::infinity(), std::nanf("")}) {
    expect_refused(
        [&] {
          Bias::of(array(Floats{0, odd}, {1, 2}), sizes);
        },
        {"cell 1", "finite", odd < 0 ? "from_additive" : "finite"});
  }
  expect_refused(
      [&] {
        Bias::of(array(std::vector<std::uint8_t>{0, 1}, {1, 2}), sizes);
      },
      {"expected float", "KeepMask::of"});
}

TEST(AlibiSlopes, ArePowersOfTheRatioForAPowerOfTwoHeads) {
  EXPECT_EQ(alibi_slopes(1), (Floats{0x1p-8f}));
  EXPECT_EQ(alibi_slopes(2), (Floats{0x1p-4f, 0x1p-8f}));
  EXPECT_EQ(alibi_slopes(8),
            (Floats{0x1p-1f, 0x1p-2f, 0x1p-3f, 0x1p-4f, 0x1p-5f, 0x1p-6f, 0x1p-7f, 0x1p-8f}));
  EXPECT_TRUE(alibi_slopes(0).empty());
  for (const std::size_t heads : {4u, 16u, 64u, 128u}) {
    const Floats slopes = alibi_slopes(heads);
    ASSERT_EQ(slopes.size(), heads);
    for (std::size_t h = 0; h < heads; ++h) {
      // The nearest float of the formula itself.
      const double exponent = -8.0 * static_cast<double>(h + 1) / static_cast<double>(heads);
      EXPECT_EQ(slopes[h], static_cast<float>(std::exp2(exponent))) << heads << ' ' << h;
    }
  }
}

TEST(AlibiSlopes, TakeEverySecondOfTheNextPowerOfTwoForOtherNumbersOfHeads) {
  EXPECT_EQ(alibi_slopes(3), (Floats{0x1p-4f, 0x1p-8f, 0x1p-2f}));
  EXPECT_EQ(alibi_slopes(6), (Floats{0x1p-2f, 0x1p-4f, 0x1p-6f, 0x1p-8f, 0x1p-1f, 0x1p-3f}));
  const Floats twelve = alibi_slopes(12), sixteen = alibi_slopes(16);
  ASSERT_EQ(twelve.size(), 12u);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(twelve[8 + i], sixteen[2 * i]);
}

TEST(T5Buckets, GiveNearDistancesABucketEachOnEitherSide) {
  const T5Buckets buckets;
  EXPECT_EQ(buckets.bucket(0), 0u);
  EXPECT_EQ(buckets.bucket(-1), 1u);
  EXPECT_EQ(buckets.bucket(-7), 7u);
  EXPECT_EQ(buckets.bucket(1), 17u);
  EXPECT_EQ(buckets.bucket(7), 23u);
}

TEST(T5Buckets, ShareFarDistancesByTheirLogarithm) {
  const T5Buckets buckets;
  // Bucket 8 + j begins at 8 * 16^(j / 8) rounded up: 8, 11.3, 16, 22.6, 32, 45.3, 64, 90.5.
  const std::vector<std::ptrdiff_t> first = {8, 12, 16, 23, 32, 46, 64, 91};
  for (std::size_t j = 0; j < first.size(); ++j) {
    EXPECT_EQ(buckets.bucket(-first[j]), 8 + j);
    EXPECT_EQ(buckets.bucket(first[j]), 24 + j);
    EXPECT_EQ(buckets.bucket(-first[j] + 1), 7 + j);
  }
  EXPECT_EQ(buckets.bucket(-128), 15u);
  EXPECT_EQ(buckets.bucket(std::numeric_limits<std::ptrdiff_t>::max()), 31u);
  EXPECT_EQ(buckets.bucket(std::numeric_limits<std::ptrdiff_t>::min()), 15u);
}

TEST(T5Buckets, SeeNothingAfterTheQueryWhenCausal) {
  const T5Buckets buckets = {.bidirectional = false};
  EXPECT_EQ(buckets.bucket(5), 0u);
  EXPECT_EQ(buckets.bucket(0), 0u);
  EXPECT_EQ(buckets.bucket(-15), 15u);
  EXPECT_EQ(buckets.bucket(-16), 16u);
  EXPECT_EQ(buckets.bucket(-127), 31u);
  EXPECT_EQ(buckets.bucket(-1000), 31u);
}

TEST(T5Buckets, AreAllInUseButThatOfNoDistanceBehindTheQuery) {
  const T5Buckets buckets;
  std::set<std::size_t> used;
  for (std::ptrdiff_t distance = -499; distance <= 499; ++distance) {
    used.insert(buckets.bucket(distance));
  }
  EXPECT_EQ(used.size(), 31u);
  EXPECT_FALSE(used.contains(16));
}

TEST(T5Buckets, RefuseNumbersThatLeaveNoBuckets) {
  expect_refused([] { (void)T5Buckets{.count = 2}.bucket(0); }, {"2 buckets", "at least 4"});
  expect_refused([] { (void)T5Buckets{.count = 33}.bucket(0); }, {"33 buckets", "even"});
  expect_refused([] { (void)T5Buckets{.max_distance = 8}.bucket(0); }, {"beyond 8"});
  expect_refused([] { (void)(T5Buckets{.count = 1, .bidirectional = false}.bucket(0)); },
                 {"at least 2"});
}

}  // namespace
}  // namespace padless
