#include "padless/batch/attend.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "padless/core/error.h"

namespace padless {
namespace {

// One line a query, one digit a slot: 1 = may attend.
std::vector<std::string> pattern(const Attend& attend, std::size_t queries, std::size_t keys,
                                 std::size_t slots) {
  const Attend::Bounds bounds = attend.bounds(queries, keys);
  std::vector<std::string> lines(queries, std::string(slots, '0'));
  for (std::size_t i = 0; i < queries; ++i) {
    for (std::size_t k = bounds[i].begin; k < bounds[i].end; ++k) lines[i].at(k) = '1';
  }
  return lines;
}

using Lines = std::vector<std::string>;

TEST(Attend, FullSeesEveryKeyWhateverTheLengths) {
  EXPECT_EQ(pattern(Attend::full(), 2, 3, 3), (Lines{"111", "111"}));
  EXPECT_EQ(pattern(Attend::full(), 3, 1, 1), (Lines{"1", "1", "1"}));
  EXPECT_EQ(pattern(Attend::full(), 2, 0, 1), (Lines{"0", "0"}));
}

TEST(Attend, CausalSeesKeysUpToTheQuery) {
  EXPECT_EQ(pattern(Attend::causal(), 3, 3, 3), (Lines{"100", "110", "111"}));
}

TEST(Attend, CausalAlignsWithTheTrueKeyLengthNotWithTheSlots) {
  const Attend end = Attend::causal(Align::bottom_right);
  EXPECT_EQ(pattern(end, 2, 5, 5), (Lines{"11110", "11111"}));
  EXPECT_EQ(pattern(end, 2, 3, 5), (Lines{"11000", "11100"}));
  const Attend start = Attend::causal(Align::top_left);
  EXPECT_EQ(pattern(start, 2, 5, 5), (Lines{"10000", "11000"}));
  EXPECT_EQ(pattern(start, 2, 3, 5), (Lines{"10000", "11000"}));
}

TEST(Attend, CausalLeavesAQueryBeforeTheFirstKeyWithoutAKey) {
  EXPECT_EQ(pattern(Attend::causal(Align::bottom_right), 3, 2, 2), (Lines{"00", "10", "11"}));
  EXPECT_EQ(pattern(Attend::causal(Align::top_left), 3, 2, 2), (Lines{"10", "11", "11"}));
  EXPECT_EQ(pattern(Attend::causal(Align::bottom_right), 2, 0, 1), (Lines{"0", "0"}));
}

TEST(Attend, WindowSeesKeysNearTheQuery) {
  EXPECT_EQ(pattern(Attend::window(1, 0), 4, 4, 4), (Lines{"1000", "1100", "0110", "0011"}));
  EXPECT_EQ(pattern(Attend::window(0, 1), 3, 3, 3), (Lines{"110", "011", "001"}));
  EXPECT_EQ(pattern(Attend::window(Attend::kUnbounded, Attend::kUnbounded - 1), 2, 2, 2),
            (Lines{"11", "11"}));
  EXPECT_EQ(pattern(Attend::window(1, 1, Align::bottom_right), 2, 4, 4), (Lines{"0111", "0011"}));
  EXPECT_EQ(pattern(Attend::window(1, 1, Align::top_left), 5, 2, 2),
            (Lines{"11", "11", "01", "00", "00"}));
}

TEST(Attend, CombinationsSeeWhatBothSee) {
  EXPECT_EQ(pattern(Attend::causal() & Attend::window(1, 1), 3, 3, 3),
            (Lines{"100", "110", "011"}));
  EXPECT_EQ(Attend::full() & Attend::causal(Align::top_left), Attend::causal(Align::top_left));
  EXPECT_EQ(Attend::causal() & Attend::full(), Attend::causal());
  EXPECT_THROW(Attend::causal(Align::top_left) & Attend::window(1, 1, Align::bottom_right),
               ValueError);
  EXPECT_THROW(Attend::causal() & Attend::window(1, 1, Align::bottom_right), ValueError);
}

TEST(Attend, RefusesUnequalLengthsWithoutAnAlignmentAndNamesBothAlignments) {
  try {
    Attend::causal().bounds(2, 5);
    FAIL() << "nothing was thrown";
  } catch (const ShapeError& error) {
    EXPECT_STREQ(error.what(),
                 "Attend: 2 queries and 5 keys without an alignment, expected Align::top_left "
                 "(query 0 stands on key 0) or Align::bottom_right (the last query stands on the "
                 "last key)");
  }
  EXPECT_THROW(Attend::window(1, 1).bounds(3, 2), ShapeError);
}

}  // namespace
}  // namespace padless
