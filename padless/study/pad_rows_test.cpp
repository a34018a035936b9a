#include "padless/study/pad_rows.h"

#include <gtest/gtest.h>

#include <vector>

#include "padless/core/error.h"
#include "padless/testing/bits.h"

namespace padless::study {
namespace {

Segments lengths(const std::vector<std::size_t>& all) {
  return Segments::from_lengths(std::span<const std::size_t>(all));
}

TEST(PadRows, PutsZerosBehindEachSequenceAndTakesThemAway) {
  Runtime runtime;
  const Segments segs = lengths({2, 0, 1});
  const Segments padded = padded_to_longest(segs);
  EXPECT_EQ(padded, lengths({2, 2, 2}));
  const std::vector<float> rows = {1, 2, 3, 4, 5, 6};
  std::vector<float> wide(12, -1.0f), back(6, -1.0f);
  pad_rows(runtime, {rows.data(), 3, 2}, segs, padded, {wide.data(), 6, 2});
  testing::expect_same_bits(wide, std::vector<float>{1, 2, 3, 4, 0, 0, 0, 0, 5, 6, 0, 0});
  unpad_rows(runtime, {wide.data(), 6, 2}, segs, padded, {back.data(), 3, 2});
  testing::expect_same_bits(back, rows);
}

TEST(PadRows, OfNothingIsNothing) {
  Runtime runtime;
  EXPECT_EQ(padded_to_longest(Segments()), Segments());
  EXPECT_EQ(padded_to_longest(lengths({0, 0})).total(), 0u);
  EXPECT_NO_THROW(pad_rows(runtime, {}, Segments(), Segments(), {}));
}

TEST(PadRows, RefusesPlacesThatAreTooShort) {
  Runtime runtime;
  std::vector<float> rows(4), out(4);
  EXPECT_THROW(
      pad_rows(runtime, {rows.data(), 2, 2}, lengths({2}), lengths({1}), {out.data(), 1, 2}),
      ShapeError);
  EXPECT_THROW(
      pad_rows(runtime, {rows.data(), 2, 2}, lengths({2}), lengths({1, 1}), {out.data(), 2, 2}),
      ShapeError);
  EXPECT_THROW(
      pad_rows(runtime, {rows.data(), 2, 2}, lengths({2}), lengths({2}), {out.data(), 1, 2}),
      ShapeError);
}

}  // namespace
}  // namespace padless::study
