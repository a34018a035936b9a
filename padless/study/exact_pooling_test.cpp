// The study's padded rows go through the library's door: whatever pads hold, nothing of it is seen.
#include "padless/study/exact_pooling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

namespace padless::study {
namespace {

constexpr double kLogits[] = {0.3, -1.25, 2};
constexpr std::size_t kPads[] = {1, 2, 3, 40};

TEST(ExactPooling, HostilePadsTakeNothingAndChangeNoBit) {
  Runtime runtime;
  const std::vector<double> alone = exact_weights(runtime, kLogits, 0);
  ASSERT_EQ(alone.size(), std::size(kLogits));
  EXPECT_NEAR(alone[0] + alone[1] + alone[2], 1, 1e-6);
  for (const std::size_t pads : kPads) {
    std::vector<double> expected = alone;
    expected.resize(alone.size() + pads, 0.0);
    EXPECT_EQ(exact_weights(runtime, kLogits, pads), expected) << pads;
  }
}

TEST(ExactPooling, ARowOfPadsAloneGetsNothing) {
  Runtime runtime;
  EXPECT_EQ(exact_weights(runtime, {}, 4), std::vector<double>(4, 0.0));
}

TEST(ExactPooling, PadsMayStandAnywhere) {
  Runtime runtime;
  const float slots[] = {hostile(0), 0.3f, hostile(1), -1.25f, 2, hostile(2)};
  const std::uint8_t keep[] = {0, 1, 0, 1, 1, 0};
  const std::vector<double> alone = exact_weights(runtime, kLogits, 0);
  EXPECT_EQ(exact_weights(runtime, slots, keep),
            (std::vector<double>{0, alone[0], 0, alone[1], alone[2], 0}));
}

TEST(ExactPooling, HostileRowsDoNotReachThePooledVector) {
  Runtime runtime;
  const auto pooled = [&runtime](std::size_t pads) {
    Matrix<float> rows(2 + pads, 2);
    rows(0, 0) = rows(1, 1) = 3;
    std::vector<float> scores(2, 0.5f);
    for (std::size_t pad = 0; pad < pads; ++pad) {
      scores.push_back(hostile(pad));
      std::ranges::fill(rows.row(2 + pad), hostile(pad + 1));
    }
    return exact_pooling(runtime, std::as_const(rows).view(), scores, right_padding(2, pads))
        .pooled;
  };
  EXPECT_EQ(pooled(0), (std::vector<double>{1.5, 1.5}));
  EXPECT_EQ(pooled(7), pooled(0));
}

}  // namespace
}  // namespace padless::study
