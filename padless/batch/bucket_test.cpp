#include "padless/batch/bucket.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "padless/core/error.h"
#include "padless/core/rng.h"

namespace padless {
namespace {

using Sizes = std::vector<std::size_t>;

Segments lengths(const Sizes& values) { return Segments::from_lengths(std::span(values)); }

// Lengths as reviews have them: many short, a few long, some empty.
Segments reviews(std::size_t count, std::uint64_t seed) {
  Rng rng(seed);
  Sizes values(count);
  for (std::size_t& value : values) value = rng.below(1 + rng.below(1 + rng.below(300)));
  return lengths(values);
}

TEST(Bucket, PutsEveryItemInExactlyOneBatch) {
  for (const std::uint64_t seed : {0u, 1u, 2u}) {
    const Segments items = reviews(997, seed);
    const Batches batches = bucket(items, {.seed = seed, .batch_tokens = 200, .window = 64}, 3);
    Sizes seen = batches.items;
    std::ranges::sort(seen);
    ASSERT_EQ(seen.size(), items.count());
    for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i], i);
    EXPECT_EQ(batches.cuts.total(), items.count());
  }
}

TEST(Bucket, KeepsToItsBudgetOfTokensAndItems) {
  const Segments items = reviews(500, 5);
  const Batches batches = bucket(items, {.batch_tokens = 100, .batch_items = 7, .window = 50}, 0);
  std::size_t alone = 0;
  for (std::size_t i = 0; i < batches.count(); ++i) {
    std::size_t tokens = 0;
    for (const std::size_t item : batches[i]) tokens += items.length(item);
    EXPECT_GE(batches[i].size(), 1u);
    EXPECT_LE(batches[i].size(), 7u);
    if (tokens > 100) {
      EXPECT_EQ(batches[i].size(), 1u);
      ++alone;
    }
  }
  EXPECT_GT(alone, 0u);
}

TEST(Bucket, SortsByLengthWithinAWindow) {
  const Segments items = reviews(300, 6);
  const Batches batches = bucket(items, {.batch_tokens = 150, .window = 300}, 0);
  for (std::size_t i = 0; i < batches.count(); ++i) {
    EXPECT_TRUE(std::ranges::is_sorted(batches[i], {},
                                       [&](std::size_t item) { return items.length(item); }));
  }
  const Padding all = padding(items, batches);
  const Padding shuffled = padding(items, bucket(items, {.batch_tokens = 150, .window = 1}, 0));
  EXPECT_LT(all.share(), 0.1);
  EXPECT_EQ(shuffled.share(), 0);  // a window of one item is a batch of one item
}

TEST(Bucket, IsAFunctionOfLengthsOptionsAndEpoch) {
  const Segments items = reviews(200, 7);
  const BucketOptions options = {.seed = 9, .batch_tokens = 100, .window = 32};
  const Batches batches = bucket(items, options, 1);
  EXPECT_EQ(bucket(items, options, 1), batches);
  EXPECT_NE(bucket(items, options, 2), batches);
  EXPECT_NE(bucket(items, {.seed = 10, .batch_tokens = 100, .window = 32}, 1), batches);
  // Recorded: a corpus's epochs are part of a training's bits, the same on every machine.
  const Batches few =
      bucket(lengths({1, 1, 2, 1, 1, 1, 1, 1}), {.batch_tokens = 3, .window = 8}, 0);
  EXPECT_EQ(few.items, (Sizes{6, 7, 1, 5, 3, 0, 4, 2}));
  EXPECT_EQ(few.cuts, lengths({3, 3, 2}));
}

TEST(Bucket, OfNothingIsNothing) {
  EXPECT_EQ(bucket(Segments(), {}, 0), Batches());
  EXPECT_EQ(padding(Segments(), Batches()), Padding());
  EXPECT_EQ(Padding().share(), 0);
  const Batches empties = bucket(lengths({0, 0, 0}), {.batch_tokens = 1}, 0);
  EXPECT_EQ(empties.count(), 1u);
  EXPECT_EQ(padding(lengths({0, 0, 0}), empties), Padding());
}

TEST(Bucket, RefusesBudgetsOfNothing) {
  EXPECT_THROW(bucket(Segments(), {.batch_tokens = 0}, 0), ValueError);
  EXPECT_THROW(bucket(Segments(), {.batch_items = 0}, 0), ValueError);
  EXPECT_THROW(bucket(Segments(), {.window = 0}, 0), ValueError);
  EXPECT_THROW(bucket(Segments(), {}, std::uint32_t{1} << 31), ValueError);
  EXPECT_THROW(in_arrival_order(3, 0), ValueError);
}

TEST(Padding, CountsItemsTimesTheLongest) {
  const Segments items = lengths({3, 1, 0, 5, 2});
  const Batches batches = in_arrival_order(5, 2);
  EXPECT_EQ(batches.items, (Sizes{0, 1, 2, 3, 4}));
  EXPECT_EQ(batches.cuts, lengths({2, 2, 1}));
  EXPECT_EQ(padding(items, batches), (Padding{.real = 11, .slots = 6 + 10 + 2}));
  EXPECT_DOUBLE_EQ(padding(items, batches).share(), 7.0 / 18);
  EXPECT_THROW(padding(lengths({1}), batches), ValueError);
}

TEST(Padding, OfDocumentsCountsSentencesTimesWords) {
  // Documents of sentences of words: (4, 1), (), (2), (1, 1, 1).
  const NestedSegments documents(lengths({2, 0, 1, 3}), lengths({4, 1, 2, 1, 1, 1}));
  EXPECT_EQ(padding(documents, in_arrival_order(4, 2)), (Padding{.real = 10, .slots = 16 + 12}));
  EXPECT_EQ(padding(documents, in_arrival_order(4, 4)), (Padding{.real = 10, .slots = 48}));
  EXPECT_THROW(padding(documents, in_arrival_order(5, 2)), ValueError);
}

TEST(Bucket, PadsLessThanTheOrderOfArrival) {
  const Segments items = reviews(2000, 8);
  const Batches batches = bucket(items, {.batch_tokens = 1000, .window = 500}, 0);
  const std::size_t per_batch = items.count() / batches.count();
  EXPECT_LT(padding(items, batches).share(), 0.2);
  EXPECT_GT(padding(items, in_arrival_order(items.count(), per_batch)).share(), 0.5);
}

}  // namespace
}  // namespace padless
