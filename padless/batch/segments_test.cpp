#include "padless/batch/segments.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "padless/batch/nested.h"
#include "padless/core/error.h"

namespace padless {
namespace {

using Int32s = std::vector<std::int32_t>;
using Int64s = std::vector<std::int64_t>;

Segments lengths(const Int64s& values) { return Segments::from_lengths(std::span(values)); }

TEST(Segments, OfLengthsLieEndToEnd) {
  const Segments segs = lengths({3, 0, 1});
  EXPECT_EQ(segs.count(), 3u);
  EXPECT_EQ(segs.total(), 4u);
  EXPECT_EQ(segs.longest(), 3u);
  EXPECT_EQ(segs[0].begin, 0u);
  EXPECT_EQ(segs[0].end, 3u);
  EXPECT_TRUE(segs[1].empty());
  EXPECT_EQ(segs[2].begin, 3u);
  EXPECT_EQ(segs.sequence_of(2), 0u);
  EXPECT_EQ(segs.sequence_of(3), 2u);
}

TEST(Segments, OfNothingAreLegal) {
  EXPECT_EQ(Segments().count(), 0u);
  EXPECT_EQ(Segments().total(), 0u);
  EXPECT_EQ(Segments().longest(), 0u);
  EXPECT_EQ(lengths({}), Segments());
  EXPECT_EQ(Segments::from_offsets(std::span<const std::int32_t>(), 0), Segments());
}

TEST(Segments, TheSameFromLengthsAndOffsetsOfEitherWidth) {
  const Segments segs = lengths({2, 0, 5});
  EXPECT_EQ(Segments::from_lengths(std::span<const std::int32_t>(Int32s{2, 0, 5})), segs);
  EXPECT_EQ(Segments::from_offsets(std::span<const std::int32_t>(Int32s{0, 2, 2, 7}), 7), segs);
  EXPECT_EQ(Segments::from_offsets(std::span<const std::int64_t>(Int64s{0, 2, 2, 7}), 7), segs);
}

TEST(Segments, RefuseWhatIsNoBatch) {
  EXPECT_THROW(lengths({2, -1}), ValueError);
  constexpr std::int64_t kLarge = std::numeric_limits<std::int64_t>::max();
  EXPECT_THROW(lengths({kLarge, kLarge}), ValueError);
  const auto offsets = [](const Int32s& values, std::size_t total) {
    return Segments::from_offsets(std::span(values), total);
  };
  EXPECT_THROW(offsets({1, 2}, 2), ValueError);
  EXPECT_THROW(offsets({0, 3, 2}, 2), ValueError);
  EXPECT_THROW(offsets({0, 3}, 4), ValueError);
  EXPECT_THROW(offsets({0, -3}, 4), ValueError);
  EXPECT_THROW(offsets({}, 4), ValueError);
}

TEST(Segments, TheMessageSaysWhatWasFoundAndExpected) {
  try {
    Segments::from_offsets(std::span<const std::int32_t>(Int32s{0, 5, 3}), 3);
    FAIL() << "nothing was thrown";
  } catch (const ValueError& error) {
    EXPECT_STREQ(error.what(),
                 "Segments: offset 2 is 3, expected at least 5 (offsets never decrease; lengths go "
                 "to from_lengths)");
  }
}

TEST(NestedSegments, GiveEachDocumentItsWords) {
  const NestedSegments nested(lengths({2, 0, 1}), lengths({3, 0, 4}));
  EXPECT_EQ(nested.words(), lengths({3, 0, 4}));
  EXPECT_EQ(nested.documents().count(), 3u);
}

TEST(NestedSegments, RefuseLevelsThatDoNotFit) {
  EXPECT_THROW(NestedSegments(lengths({2}), lengths({3})), ShapeError);
}

}  // namespace
}  // namespace padless
