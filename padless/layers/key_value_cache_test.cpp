#include "padless/layers/key_value_cache.h"

#include <gtest/gtest.h>

#include <vector>

#include "padless/core/error.h"
#include "padless/core/rng.h"
#include "padless/testing/refusal.h"

namespace padless {
namespace {

Segments lengths(const std::vector<std::size_t>& values) {
  return Segments::from_lengths(std::span(values));
}

std::vector<float> cells(MatrixView<const float> view) {
  return {view.data(), view.data() + view.rows() * view.cols()};
}

// Appends `count` rows to each sequence; row r of sequence b holds 100 * b + r.
void append(KeyValueCache& cache, const std::vector<std::size_t>& counts) {
  const Segments segs = lengths(counts);
  Matrix<float> k(segs.total(), 2), v(segs.total(), 1);
  for (std::size_t b = 0; b < segs.count(); ++b) {
    for (std::size_t t = segs[b].begin; t < segs[b].end; ++t) {
      const auto value = static_cast<float>(100 * b + cache.length(b) + t - segs[b].begin);
      k(t, 0) = value;
      k(t, 1) = value + 0.5f;
      v(t, 0) = -value;
    }
  }
  cache.append(std::as_const(k).view(), std::as_const(v).view(), segs);
}

TEST(KeyValueCache, KeepsTheRowsOfEachSequenceInOrder) {
  KeyValueCache cache(3, 2, 1);
  EXPECT_EQ(cache.keys()[1].rows(), 0u);
  append(cache, {2, 0, 1});
  append(cache, {1, 1, 40});  // beyond the first memory
  append(cache, {0, 1, 0});
  EXPECT_EQ(cells(cache.keys()[0]), (std::vector<float>{0, 0.5f, 1, 1.5f, 2, 2.5f}));
  EXPECT_EQ(cells(cache.values()[1]), (std::vector<float>{-100, -101}));
  ASSERT_EQ(cache.length(2), 41u);
  for (std::size_t r = 0; r < 41; ++r) {
    EXPECT_EQ(cache.keys()[2](r, 0), static_cast<float>(200 + r));
  }
}

TEST(KeyValueCache, ReordersLeavesOutAndRepeats) {
  KeyValueCache cache(3, 2, 1);
  append(cache, {1, 2, 3});
  const std::vector<std::size_t> from = {2, 0, 2, 2};
  cache.reorder(from);
  ASSERT_EQ(cache.count(), 4u);
  EXPECT_EQ(cells(cache.values()[1]), (std::vector<float>{-0.0f}));
  for (const std::size_t b : {0u, 2u, 3u}) {
    EXPECT_EQ(cells(cache.values()[b]), (std::vector<float>{-200, -201, -202}));
  }
  append(cache, {1, 0, 0, 0});  // one of the three grows alone
  EXPECT_EQ(cache.length(0), 4u);
  EXPECT_EQ(cache.length(2), 3u);
  EXPECT_EQ(cells(cache.values()[2]), (std::vector<float>{-200, -201, -202}));
}

TEST(KeyValueCache, ACopyOutlivesWhatItWasCopiedFrom) {
  KeyValueCache copy(0, 2, 1);
  {
    KeyValueCache cache(1, 2, 1);
    append(cache, {2});
    copy = cache;
    EXPECT_NE(copy.keys()[0].data(), cache.keys()[0].data());
    append(cache, {1});
  }
  ASSERT_EQ(copy.length(0), 2u);
  EXPECT_EQ(cells(copy.keys()[0]), (std::vector<float>{0, 0.5f, 1, 1.5f}));
  EXPECT_EQ(cells(copy.values()[0]), (std::vector<float>{-0.0f, -1}));
}

TEST(KeyValueCache, ForgetsTheRowsThatItIsShortenedBy) {
  KeyValueCache cache(2, 2, 1);
  append(cache, {3, 2});
  EXPECT_EQ(testing::refusal<ShapeError>([&] { cache.shorten(std::vector<std::size_t>{1}); }),
            "KeyValueCache: there are 1 lengths, expected 2");
  EXPECT_EQ(testing::refusal<ValueError>([&] {
              cache.shorten(std::vector<std::size_t>{1, 3});
            }),
            "KeyValueCache: sequence 1 is to keep 3 rows, expected at most the 2 it has");
  EXPECT_EQ(cache.length(0), 3u);
  cache.shorten(std::vector<std::size_t>{1, 2});
  EXPECT_EQ(cells(cache.keys()[0]), (std::vector<float>{0, 0.5f}));
  EXPECT_EQ(cells(cache.values()[1]), (std::vector<float>{-100, -101}));
  append(cache, {1, 0});
  EXPECT_EQ(cells(cache.values()[0]), (std::vector<float>{-0.0f, -1}));
}

TEST(KeyValueCache, RefusesRowsAndSequencesThatDoNotFit) {
  KeyValueCache cache(1, 2, 1);
  const Matrix<float> k(1, 2), v(1, 1);
  EXPECT_THROW(cache.append(k.view(), v.view(), lengths({1, 0})), ShapeError);
  EXPECT_THROW(cache.append(v.view(), v.view(), lengths({1})), ShapeError);
  EXPECT_THROW(cache.append(k.view(), k.view(), lengths({1})), ShapeError);
  const std::vector<std::size_t> from = {1};
  EXPECT_THROW(cache.reorder(from), ValueError);
}

}  // namespace
}  // namespace padless
