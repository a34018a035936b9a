#include "padless/models/beam_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "padless/core/error.h"
#include "padless/testing/refusal.h"

namespace padless {
namespace {

using Ids = std::vector<std::int32_t>;

constexpr std::int32_t kEnd = 1;

/// Hands the search the scores that `table` gives for the last id of each live hypothesis.
template <class Table>
std::vector<Decoded> search(const DecodingOptions& options, Table table) {
  Runtime runtime;
  BeamSearch beams(options, kEnd);
  while (!beams.done()) {
    Matrix<float> scores(beams.live().size(), 4);
    for (std::size_t b = 0; b < beams.live().size(); ++b) {
      const Ids& ids = beams.live()[b].ids;
      const std::vector<float> row = table(ids);
      std::ranges::copy(row, scores.row(b).begin());
    }
    beams.advance(runtime, std::as_const(scores).view());
  }
  return beams.result();
}

std::vector<float> log_of(const std::vector<double>& probabilities) {
  std::vector<float> logs;
  logs.reserve(probabilities.size());
  for (const double p : probabilities) logs.push_back(static_cast<float>(std::log(p)));
  return logs;
}

// First 2 is likelier than 3, but what follows 3 is certain.
std::vector<float> trap(const Ids& ids) {
  if (ids.empty()) return log_of({0.01, 0.01, 0.58, 0.4});
  if (ids.back() == 2) return log_of({0.3, 0.4, 0.2, 0.1});
  return log_of({0.01, 0.97, 0.01, 0.01});
}

TEST(BeamSearch, GreedyTakesTheBestNextIdAndBeamsTheBestWhole) {
  const std::vector<Decoded> greedy = search({.beams = 1, .max_length = 5}, trap);
  ASSERT_EQ(greedy.size(), 1u);
  EXPECT_EQ(greedy[0].ids, (Ids{2}));
  EXPECT_TRUE(greedy[0].ended);
  EXPECT_NEAR(greedy[0].log_probability, std::log(0.58 * 0.4), 1e-6);

  const std::vector<Decoded> two = search({.beams = 2, .max_length = 5}, trap);
  ASSERT_EQ(two.size(), 2u);
  EXPECT_EQ(two[0].ids, (Ids{3}));
  EXPECT_NEAR(two[0].log_probability, std::log(0.4 * 0.97), 1e-6);
  EXPECT_EQ(two[1].ids, (Ids{2}));
}

// An end is never the best next id, but always among the beams: what goes on must not be given up
// for ends that are hardly possible.
TEST(BeamSearch, UnlikelyEndsDoNotCutALikelyHypothesisShort) {
  const auto table = [](const Ids& ids) {
    if (ids.size() < 6) return log_of({0.004, 0.01, 0.98, 0.006});
    return log_of({0.01, 0.97, 0.01, 0.01});
  };
  for (const std::size_t beams : {1u, 2u, 3u}) {
    const std::vector<Decoded> found = search({.beams = beams, .max_length = 20}, table);
    EXPECT_EQ(found[0].ids, Ids(6, 2));
    EXPECT_TRUE(found[0].ended);
  }
}

TEST(BeamSearch, OfEqualScoresTheLowerIdIsTaken) {
  const auto equal = [](const Ids&) { return std::vector<float>{0, -1, 0, 0}; };
  const std::vector<Decoded> found = search({.beams = 2, .max_length = 2}, equal);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].ids, (Ids{0, 0}));
  // The second live hypothesis was (2): its 0 comes before the first one's 2.
  EXPECT_EQ(found[1].ids, (Ids{2, 0}));
  EXPECT_FALSE(found[0].ended);
}

TEST(BeamSearch, ALengthPenaltyLetsLongerOnesWin) {
  // Ends at once with 0.4, or writes (2, 2, 2) of 0.6 * 0.6 * 0.6 and ends.
  const auto table = [](const Ids& ids) {
    if (ids.size() < 3) return log_of({1e-6, 0.4, 0.6, 1e-6});
    return log_of({1e-6, 1, 1e-6, 1e-6});
  };
  EXPECT_EQ(search({.beams = 4, .max_length = 3}, table)[0].ids, Ids{});
  EXPECT_EQ(search({.beams = 4, .max_length = 3, .length_penalty = 2}, table)[0].ids,
            (Ids{2, 2, 2}));
}

// The end is the best second id; what was second to it is as long as may be, and dearer.
TEST(BeamSearch, ASingleBeamIsDoneAtItsFirstEndWhateverThePenalty) {
  const auto table = [](const Ids& ids) {
    return ids.empty() ? log_of({0.04, 0.01, 0.9, 0.05}) : log_of({0.1, 0.45, 0.4, 0.05});
  };
  for (const double penalty : {0.0, 2.0}) {
    const std::vector<Decoded> found =
        search({.beams = 1, .max_length = 2, .length_penalty = penalty}, table);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].ids, (Ids{2}));
    EXPECT_TRUE(found[0].ended);
  }
}

TEST(BeamSearch, RefusesScoresOfOtherHypotheses) {
  Runtime runtime;
  BeamSearch beams({.beams = 2, .max_length = 5}, kEnd);
  const auto refusal = [&](std::size_t rows, std::size_t cols) {
    return testing::refusal<ShapeError>([&] {
      const Matrix<float> scores(rows, cols);
      beams.advance(runtime, scores.view());
    });
  };
  EXPECT_EQ(refusal(2, 4),
            "BeamSearch: scores is [2, 4], expected [1, 1 or more] (a row for each live "
            "hypothesis)");
  EXPECT_EQ(refusal(0, 4),
            "BeamSearch: scores is [0, 4], expected [1, 1 or more] (a row for each live "
            "hypothesis)");
  EXPECT_EQ(refusal(1, 0),
            "BeamSearch: scores is [1, 0], expected [1, 1 or more] (a row for each live "
            "hypothesis)");
  ASSERT_EQ(beams.live().size(), 1u);
  EXPECT_EQ(refusal(1, 4), "nothing was thrown");
  EXPECT_EQ(beams.live().size(), 2u);
}

TEST(BeamSearch, WhatGoesOnFromARowWithANaNHasProbabilityZero) {
  const auto table = [](const Ids&) {
    return std::vector<float>{std::numeric_limits<float>::quiet_NaN(), 0, 0, 0};
  };
  for (const Decoded& found : search({.beams = 3, .max_length = 3}, table)) {
    EXPECT_EQ(found.log_probability, -std::numeric_limits<double>::infinity());
  }
}

TEST(BeamSearch, TellsWhereEachHypothesisComesFrom) {
  Runtime runtime;
  BeamSearch beams({.beams = 2, .max_length = 5}, kEnd);
  const Matrix<float> first = [] {
    Matrix<float> scores(1, 4);
    std::ranges::copy(std::vector<float>{0, -9, 0.5f, -3}, scores.data());
    return scores;
  }();
  EXPECT_EQ(beams.advance(runtime, first.view()), (std::vector<std::size_t>{0, 0}));
  EXPECT_EQ(beams.live()[0].ids, (Ids{2}));
  Matrix<float> second(2, 4);
  std::ranges::copy(std::vector<float>{0, 0, 0, 0, 9, 0, 0, 8}, second.data());
  // 0 after the second is likelier than anything after the first, 3 after it is not.
  EXPECT_EQ(beams.advance(runtime, std::as_const(second).view()), (std::vector<std::size_t>{1, 0}));
  EXPECT_EQ(beams.live()[0].ids, (Ids{0, 0}));
}

TEST(DecodingOptions, RefuseWhatMeansNothing) {
  EXPECT_THROW((DecodingOptions{.beams = 0}.check()), ValueError);
  EXPECT_THROW((DecodingOptions{.length_penalty = std::numeric_limits<double>::infinity()}.check()),
               ValueError);
}

}  // namespace
}  // namespace padless
