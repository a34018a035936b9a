#include "padless/batch/shards.h"

#include <gtest/gtest.h>

#include <vector>

#include "padless/core/error.h"

namespace padless {
namespace {

using Sizes = std::vector<std::size_t>;

Segments lengths(const Sizes& values) { return Segments::from_lengths(std::span(values)); }
Sizes bounds(const Shards& shards) { return {shards.bounds().begin(), shards.bounds().end()}; }

TEST(Shards, BeginAtTheFirstItemAtOrPastTheirShareOfTheRows) {
  // T = 10: shards begin at rows >= 0, 2, 5, 7; items begin at rows 0, 4, 5, 5, 9.
  EXPECT_EQ(bounds(Shards::of_items(lengths({4, 1, 0, 4, 1}), 4)), (Sizes{0, 1, 2, 4, 5}));
}

TEST(Shards, AreEmptyWhereOneItemIsLongerThanTheirShare) {
  EXPECT_EQ(bounds(Shards::of_items(lengths({100, 1}), 4)), (Sizes{0, 1, 1, 1, 2}));
  EXPECT_EQ(bounds(Shards::of_items(Segments(), 2)), (Sizes{0, 0, 0}));
}

TEST(Shards, CarryTheirCutInwards) {
  const Shards documents = Shards::of_items(lengths({3, 3}), 2);
  EXPECT_EQ(bounds(documents), (Sizes{0, 1, 2}));
  EXPECT_EQ(bounds(documents.inner(lengths({2, 5}))), (Sizes{0, 2, 7}));
  EXPECT_THROW(documents.inner(lengths({2})), ShapeError);
}

TEST(Shards, RefuseANumberThatIsNoPowerOfTwo) {
  EXPECT_THROW(Shards::of_items(lengths({1}), 3), ValueError);
  EXPECT_THROW(Shards::of_items(lengths({1}), 0), ValueError);
  EXPECT_THROW(Shards::of_items(lengths({1}), 2 * Shards::kMost), ValueError);
}

}  // namespace
}  // namespace padless
