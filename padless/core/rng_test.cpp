#include "padless/core/rng.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>
#include <vector>

namespace padless {
namespace {

using Words = std::array<std::uint32_t, 4>;

// The known answers that the authors of the generator publish with it.
TEST(Philox, GivesThePublishedAnswers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Rng, IsAFunctionOfSeedAndStream) {
  Rng a(7, 1), same(7, 1), other_stream(7, 2), other_seed(8, 1);
  std::vector<std::uint32_t> drawn;
  for (int i = 0; i < 9; ++i) {
    const std::uint32_t word = a.next();
    EXPECT_EQ(word, same.next());
    EXPECT_NE(word, other_stream.next());
    EXPECT_NE(word, other_seed.next());
  }
}

TEST(Rng, BelowStaysBelowAndReachesAll) {
  Rng rng(1);
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 200; ++i) {
    const std::uint64_t draw = rng.below(7);
    ASSERT_LT(draw, 7u);
    seen.insert(draw);
  }
  EXPECT_EQ(seen.size(), 7u);
  EXPECT_EQ(rng.below(1), 0u);
}

TEST(Rng, NormalDrawsHaveMeanZeroAndVarianceOne) {
  Rng rng(3);
  constexpr int kDraws = 100'000;
  double sum = 0, squares = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double draw = rng.normal();
    sum += draw;
    squares += draw * draw;
  }
  // Five standard errors of the mean and of the variance.
  EXPECT_LT(std::fabs(sum / kDraws), 5 / std::sqrt(kDraws));
  EXPECT_LT(std::fabs(squares / kDraws - 1), 5 * std::sqrt(2.0 / kDraws));
}

TEST(DrawKey, DiffersByStepAndOp) {
  EXPECT_NE(draw_key(1, 0, 0), draw_key(1, 1, 0));
  EXPECT_NE(draw_key(1, 0, 0), draw_key(1, 0, 1));
  EXPECT_NE(draw_key(1, 0, 0), draw_key(2, 0, 0));
}

}  // namespace
}  // namespace padless
