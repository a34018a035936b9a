#include "padless/train/examples.h"

#include <gtest/gtest.h>

#include <vector>

#include "padless/core/error.h"

namespace padless {
namespace {

using Sizes = std::vector<std::size_t>;

Examples three_documents() {
  return {.documents = {{.words = {1, 2, 3}, .sentence_lengths = {2, 1}},
                        {.words = {}, .sentence_lengths = {}},
                        {.words = {4}, .sentence_lengths = {1}}},
          .labels = {0, 1, 0},
          .targets = {},
          .numbers = {10, 20, 30}};
}

TEST(Examples, AreGatheredInTheOrderAskedFor) {
  const ExampleBatch batch = gather(three_documents(), Sizes{2, 0, 2});
  EXPECT_EQ(batch.ids, (std::vector<std::int32_t>{4, 1, 2, 3, 4}));
  EXPECT_EQ(batch.labels, (std::vector<std::int32_t>{0, 0, 0}));
  EXPECT_EQ(batch.numbers, (std::vector<std::uint64_t>{30, 10, 30}));
  EXPECT_EQ(batch.nested.documents(),
            Segments::from_lengths(std::span<const std::size_t>(Sizes{1, 2, 1})));
  EXPECT_EQ(batch.nested.sentences(),
            Segments::from_lengths(std::span<const std::size_t>(Sizes{1, 2, 1, 1})));
}

TEST(Examples, KnowTheirStructure) {
  const NestedSegments all = structure(three_documents());
  EXPECT_EQ(all.words(), Segments::from_lengths(std::span<const std::size_t>(Sizes{3, 0, 1})));
}

TEST(Examples, OfSeveralLabelsGatherTheirSets) {
  Examples examples = three_documents();
  examples.labels.clear();
  examples.label_sets = {{0, 2}, {}, {-1, -1, 1}};
  const ExampleBatch batch = gather(examples, Sizes{2, 1, 0});
  const Matrix<std::int32_t> targets = label_targets(batch.label_sets, 3);
  EXPECT_EQ(std::vector<std::int32_t>(targets.cells().begin(), targets.cells().end()),
            (std::vector<std::int32_t>{0, 1, 0, 0, 0, 0, 1, 0, 1}));
}

TEST(Examples, RefuseALabelBeyondTheLast) {
  EXPECT_THROW(label_targets(std::vector<std::vector<std::int32_t>>{{0}, {2}}, 2), ValueError);
}

TEST(Examples, RefuseAnItemBeyondTheLast) {
  EXPECT_THROW(gather(three_documents(), Sizes{3}), ValueError);
}

}  // namespace
}  // namespace padless
