#include "padless/batch/pack.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "padless/core/rng.h"
#include "padless/testing/masks.h"

namespace padless {
namespace {

using testing::array;
using testing::expect_refused;

using Floats = std::vector<float>;
using Ids = std::vector<std::int32_t>;
using Sizes = std::vector<std::size_t>;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

Segments lengths(const Sizes& values) { return Segments::from_lengths(std::span(values)); }
Sizes places(const Packing& packing) { return {packing.places().begin(), packing.places().end()}; }
KeepMask keys(const std::vector<std::uint8_t>& cells, std::size_t batch) {
  return KeepMask::from_keras(array(cells, {batch, cells.size() / batch}));
}
Ids packed(const Ids& padded, const Packing& packing) {
  Ids rows(packing.segments().total());
  pack(padded, packing, std::span(rows));
  return rows;
}

TEST(Packing, RemembersWhereEachRowLay) {
  EXPECT_EQ(places(Packing(lengths({2, 0, 1}), 3)), (Sizes{0, 1, 6}));
  EXPECT_EQ(places(Packing(lengths({2, 0, 1}), 3, Packing::PadSide::left)), (Sizes{1, 2, 8}));
  const Packing holes(keys({1, 0, 1, 0, 0, 0, 0, 1, 1}, 3));
  EXPECT_EQ(places(holes), (Sizes{0, 2, 7, 8}));
  EXPECT_EQ(holes.segments(), lengths({2, 0, 2}));
  EXPECT_EQ(Packing(keys({1, 1, 0, 1, 0, 0}, 2)), Packing(lengths({2, 1}), 3));
}

TEST(Pack, TakesTheSameRowsFromLeftRightAndInteriorPadding) {
  const Ids alone = {7, 8, 9};
  EXPECT_EQ(packed({7, 8, 0, 0, 9, 0, 0, 0}, Packing(lengths({2, 1}), 4)), alone);
  EXPECT_EQ(packed({0, 0, 7, 8, 0, 0, 0, 9}, Packing(lengths({2, 1}), 4, Packing::PadSide::left)),
            alone);
  EXPECT_EQ(packed({7, 0, 0, 8, 0, 9, 0, 0}, Packing(keys({1, 0, 0, 1, 0, 1, 0, 0}, 2))), alone);
}

TEST(Pack, CountsPositionsInRowsNotInSlots) {
  const std::vector<std::int32_t> position_table = {10, 20, 30, 40};
  for (const Packing::PadSide side : {Packing::PadSide::left, Packing::PadSide::right}) {
    const Packing packing(lengths({2}), 4, side);
    const Ids padded = side == Packing::PadSide::left ? Ids{-1, -1, 1, 2} : Ids{1, 2, -1, -1};
    Ids sum = packed(padded, packing);
    for (std::size_t t = 0; t < sum.size(); ++t) {
      sum[t] += position_table[t - packing.segments()[0].begin];
    }
    EXPECT_EQ(sum, (Ids{11, 22}));
  }
}

TEST(Pack, NeverReadsWhatLiesInPaddedSlots) {
  for (const float poison : {kNaN, std::numeric_limits<float>::infinity(), 1e30f, 0.0f}) {
    const Floats padded = {poison, poison, poison, poison, -1, -2, -3, -0.5f};
    Floats rows(4);
    pack(MatrixView<const float>(padded.data(), 4, 2), Packing(keys({0, 0, 1, 1}, 1)),
         MatrixView<float>(rows.data(), 2, 2));
    EXPECT_EQ(rows, (Floats{-1, -2, -3, -0.5f}));
  }
}

TEST(Unpack, WritesThePadIntoEverySlotWithoutARow) {
  const Packing packing(keys({0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1}, 3));
  Ids padded(12, 99);
  unpack(Ids{5, 6, 7}, packing, std::int32_t{-1}, std::span(padded));
  EXPECT_EQ(padded, (Ids{-1, 5, -1, 6, -1, -1, -1, -1, -1, -1, -1, 7}));
}

TEST(Unpack, WritesOnlyItsColumns) {
  Floats padded(15, 42);
  const Floats rows = {1, 2};
  unpack(MatrixView<const float>(rows.data(), 1, 2), Packing(lengths({1}), 3), 0,
         MatrixView<float>(padded.data() + 1, 3, 2, 5));
  EXPECT_EQ(padded, (Floats{42, 1, 2, 42, 42, 42, 0, 0, 42, 42, 42, 0, 0, 42, 42}));
}

TEST(Pack, AndUnpackAreInverseForRandomMasks) {
  Rng rng(11);
  for (int round = 0; round < 200; ++round) {
    const std::size_t batch = rng.below(5), slots = rng.below(7), width = rng.below(4);
    std::vector<std::uint8_t> cells(batch * slots);
    for (std::uint8_t& cell : cells) cell = static_cast<std::uint8_t>(rng.below(2));
    const Packing packing(KeepMask::from_keras(array(cells, {batch, slots})));
    EXPECT_EQ(packing.padded_rows(), batch * slots);
    Matrix<float> padded(batch * slots, width);
    for (std::size_t i = 0; i < padded.rows(); ++i) {
      for (float& cell : padded.row(i)) cell = cells[i] ? static_cast<float>(rng.normal()) : kNaN;
    }
    Matrix<float> rows(packing.segments().total(), width), back(batch * slots, width);
    pack(padded.view(), packing, rows.view());
    for (const float cell : rows.cells()) EXPECT_FALSE(std::isnan(cell));
    unpack(rows.view(), packing, kNaN, back.view());
    for (std::size_t i = 0; i < back.cells().size(); ++i) {
      if (cells[i / width]) {
        EXPECT_EQ(back.cells()[i], padded.cells()[i]);
      } else {
        EXPECT_TRUE(std::isnan(back.cells()[i]));
      }
    }
    Matrix<float> again(rows.rows(), width);
    pack(back.view(), packing, again.view());
    EXPECT_TRUE(std::ranges::equal(again.cells(), rows.cells()));
  }
}

TEST(Pack, OfNothingDoesNothing) {
  std::vector<std::int64_t> none;
  pack(std::span<const std::int64_t>(none), Packing(), std::span(none));
  unpack(std::span<const std::int64_t>(none), Packing(), std::int64_t{0}, std::span(none));
  std::vector<std::int64_t> padded(4, 9);
  unpack(std::span<const std::int64_t>(none), Packing(lengths({0, 0}), 2), std::int64_t{7},
         std::span(padded));
  EXPECT_EQ(padded, (std::vector<std::int64_t>{7, 7, 7, 7}));
  EXPECT_EQ(Packing(KeepMask()), Packing());
}

TEST(Pack, RefusesShapesThatDoNotFit) {
  const Packing packing(lengths({2, 1}), 2);
  Ids rows(3), padded(4), short_rows(2), short_padded(3);
  expect_refused([&] { pack(short_padded, packing, std::span(rows)); },
                 {"pack: padded has 3 rows, expected 4", "2 sequences of 2 slots"});
  expect_refused([&] { pack(padded, packing, std::span(short_rows)); },
                 {"rows has 2 rows, expected 3"});
  expect_refused([&] { unpack(rows, packing, 0, std::span(short_padded)); }, {"unpack: padded"});
  Matrix<float> wide(4, 3), narrow(3, 2);
  expect_refused([&] { pack(std::as_const(wide).view(), packing, narrow.view()); },
                 {"padded is 3 wide, expected 2"});
  expect_refused([&] { Packing(lengths({3}), 2); }, {"length 0 is 3", "at most 2"});
  expect_refused([&] { Packing(lengths({0, 0}), std::size_t{1} << 63); }, {"memory"});
  const AttentionSizes sizes = {.batch = 1, .queries = 2, .keys = 1};
  const std::vector<std::uint8_t> dense = {1, 0};
  expect_refused(
      [&] {
        Packing(KeepMask::of(array(dense, {1, 1, 2, 1}), sizes));
      },
      {"[B, 1, 1, S]"});
}

}  // namespace
}  // namespace padless
