#include "padless/batch/pair_pass.h"

#include <gtest/gtest.h>

#include <vector>

#include "padless/core/error.h"

namespace padless {
namespace {

Segments lengths(const std::vector<std::size_t>& values) {
  return Segments::from_lengths(std::span(values));
}

TEST(PairPass, CutsBothSidesAtTheSamePairs) {
  const std::vector<std::uint64_t> numbers = {7, 8, 9, 10};
  const PairPass pass(lengths({3, 0, 2, 1}), lengths({1, 4, 4, 1}), 3, 2, 2, numbers);
  // The targets' 10 rows: the second shard begins at the first pair whose row is 5 or more.
  EXPECT_EQ(pass.target_pass().shards->bounds()[1], 5u);
  EXPECT_EQ(pass.source_pass().shards->bounds()[1], 3u);
  EXPECT_EQ(pass.target_pass().shards->rows(), 10u);
  EXPECT_EQ(pass.source_pass().shards->rows(), 6u);
  EXPECT_TRUE(pass.target_pass().training);
  EXPECT_EQ(pass.source_pass().step, 2u);
  EXPECT_EQ(pass.source_pass().documents->total(), 6u);
  EXPECT_EQ(pass.target_pass().document_numbers[1], 8u);
}

TEST(PairPass, OfInferenceHasNoShards) {
  const PairPass pass(lengths({2}), lengths({3}));
  EXPECT_FALSE(pass.target_pass().training);
  EXPECT_EQ(pass.target_pass().shards, nullptr);
}

TEST(PairPass, RefusesSidesThatDoNotFit) {
  EXPECT_THROW(PairPass(lengths({2}), lengths({3, 1})), ShapeError);
  const std::vector<std::uint64_t> numbers = {7, 8};
  EXPECT_THROW(PairPass(lengths({2}), lengths({3}), 0, 0, 1, numbers), ShapeError);
  EXPECT_THROW(PairPass(lengths({2, 1}), lengths({3, 1}), 0, 0, 3, numbers), ValueError);
}

}  // namespace
}  // namespace padless
