#include "padless/batch/mask.h"

#include <gtest/gtest.h>

#include <array>
#include <type_traits>
#include <vector>

#include "padless/core/rng.h"
#include "padless/testing/masks.h"

namespace padless {
namespace {

using testing::array;
using testing::digits;
using testing::expect_refused;

// A bare array is no mask of either side, nor is one side the other.
template <class Mask, class Bare>
constexpr bool kRefuses =
    !std::is_convertible_v<Bare, Mask> && !std::is_constructible_v<Mask, Bare>;
template <class Mask>
constexpr bool kRefusesBareArrays =
    kRefuses<Mask, std::vector<bool>>&& kRefuses<Mask, std::array<bool, 3>>&&
        kRefuses<Mask, const bool*>&& kRefuses<Mask, std::span<const bool>>&& kRefuses<Mask, bool>&&
            kRefuses<Mask, std::vector<std::uint8_t>>&& kRefuses<Mask, std::vector<float>>&&
                kRefuses<Mask, MatrixView<const float>>&& kRefuses<Mask, MaskArray>;
static_assert(kRefusesBareArrays<KeepMask> && kRefusesBareArrays<DropMask>);
static_assert(kRefuses<KeepMask, DropMask> && kRefuses<DropMask, KeepMask>);
static_assert(!std::is_convertible_v<std::vector<bool>, MaskArray>);

template <class A, class B>
concept CanAnd = requires(A a, B b) {
  a& b;
};
static_assert(CanAnd<KeepMask, KeepMask> && !CanAnd<KeepMask, DropMask>);

using Bytes = std::vector<std::uint8_t>;

KeepMask keep(const Bytes& cells, const AttentionSizes& sizes) {
  return KeepMask::of(array(cells, {sizes.batch, sizes.heads, sizes.queries, sizes.keys}), sizes);
}

TEST(MaskArray, RefusesAShapeThatIsNotThatOfItsCells) {
  const Bytes cells(6);
  EXPECT_EQ(array(cells, {2, 3}).text(), "uint8 [2, 3]");
  expect_refused([&] { array(cells, {2, 2}); }, {"6 cells", "uint8 [2, 2]"});
  expect_refused([&] { array(cells, {}); }, {"uint8 []"});
  // 2^32 * 2^32 * 6 is 0 by the arithmetic of size_t.
  const std::size_t large = std::size_t{1} << 32;
  expect_refused([&] { array(cells, {large, large, 6}); }, {"6 cells"});
  expect_refused([&] { array(Bytes(), {large, large}); }, {"0 cells"});
  EXPECT_EQ(array(Bytes(), {large, 0, large}).size(), 0u);
}

TEST(KeepMask, OfLengthsKeepsTheFirstSlots) {
  const std::vector<std::size_t> lengths = {3, 0, 1};
  const Segments segs = Segments::from_lengths(std::span(lengths));
  const KeepMask mask = KeepMask::from_segments(segs, 4);
  EXPECT_EQ(digits(mask), "1110|0000|1000");
  EXPECT_TRUE(mask.is_key_mask());
  EXPECT_EQ(mask.as_lengths(), segs);
  EXPECT_EQ(mask.key_lengths(), segs);
  expect_refused([&] { KeepMask::from_segments(segs, 2); }, {"length 0 is 3", "at most 2"});
  expect_refused([&] { KeepMask::from_segments(segs, std::size_t{1} << 63); }, {"memory"});
}

TEST(KeepMask, OfNoSequenceIsLegal) {
  EXPECT_EQ(KeepMask().as_lengths(), Segments());
  EXPECT_EQ(KeepMask() & KeepMask(), KeepMask());
  EXPECT_EQ(KeepMask::from_segments(Segments(), 0), KeepMask());
  EXPECT_TRUE(KeepMask().to_additive().empty());
}

TEST(KeepMask, WithHolesIsNeverShortenedToALength) {
  const KeepMask mask = keep({1, 0, 1, 1}, {.batch = 1, .keys = 4});
  EXPECT_EQ(digits(mask), "1011");
  EXPECT_EQ(mask.as_lengths(), std::nullopt);
  EXPECT_EQ(mask.key_lengths().length(0), 3u);
  EXPECT_EQ(keep({0, 1, 1, 1}, {.batch = 1, .keys = 4}).as_lengths(), std::nullopt);
  // A permutation of keys, as in the masks that pick one key a query.
  const KeepMask dense = keep({0, 0, 1, 1, 0, 0, 0, 1, 0}, {.batch = 1, .queries = 3, .keys = 3});
  EXPECT_EQ(digits(dense, 1, 3), "001 100 010");
  EXPECT_EQ(dense.as_lengths(), std::nullopt);
  expect_refused([&] { dense.key_lengths(); }, {"[1, 1, 3, 3]", "[B, 1, 1, S]"});
  expect_refused([&] { dense.to_hf(); }, {"[1, 1, 3, 3]", "[B, 1, 1, S]"});
}

TEST(KeepMask, AndKeepsWhatBothKeepAndSpreadsWhatStandsForAll) {
  const KeepMask keys = keep({1, 1, 0, 1, 0, 0}, {.batch = 2, .keys = 3});
  const AttentionSizes sizes = {.batch = 2, .heads = 2, .queries = 3, .keys = 3};
  const KeepMask causal =
      KeepMask::of(array(Bytes{1, 0, 0, 1, 1, 0, 1, 1, 1}, {1, 1, 3, 3}), sizes);
  const KeepMask both = keys & causal;
  EXPECT_EQ(digits(both, 2, 3), "100 110 110/100 110 110|100 100 100/100 100 100");
  EXPECT_EQ(causal & keys, both);
  const KeepMask heads = KeepMask::of(array(Bytes{1, 1, 1, 0, 1, 1}, {1, 2, 1, 3}), sizes);
  EXPECT_EQ(digits(both & heads, 2, 3), "100 110 110/000 010 010|100 100 100/000 000 000");
  EXPECT_EQ(causal & causal, causal);
  expect_refused(
      [&] {
        (void)(keys & keep({1, 1, 0}, {.batch = 1, .keys = 3}));
      },
      {"2 sequences by 3 keys and 1 by 3"});
  expect_refused([&] { (void)(both & keep(Bytes(12, 1), {.batch = 2, .queries = 2, .keys = 3})); },
                 {"3 and 2 queries"});
}

TEST(KeepMask, IsEqualHoweverItsCellsAreHeld) {
  const AttentionSizes sizes = {.batch = 2, .keys = 2};
  EXPECT_EQ(KeepMask::of(array(Bytes{1, 0}, {1, 1, 1, 2}), sizes), keep({1, 0, 1, 0}, sizes));
  EXPECT_NE(KeepMask::of(array(Bytes{1, 0}, {1, 1, 1, 2}), sizes), keep({1, 0, 1, 1}, sizes));
  EXPECT_NE(keep({1, 0}, {.batch = 1, .keys = 2}), keep({1, 0, 1, 0}, sizes));
  const AttentionSizes one = {.batch = 1, .keys = 2};
  EXPECT_NE(keep({1, 0}, one), keep({1, 1}, one));
}

TEST(DropMask, IsTheOtherSideByName) {
  const AttentionSizes sizes = {.batch = 2, .keys = 2};
  const DropMask drop = DropMask::of(array(Bytes{1, 0, 0, 0}, {2, 1, 1, 2}), sizes);
  EXPECT_TRUE(drop(0, 0, 0, 0));
  EXPECT_EQ(digits(drop.to_keep()), "01|11");
  EXPECT_EQ(drop.to_keep().to_drop(), drop);
  const DropMask other = DropMask::of(array(Bytes{0, 0, 0, 1}, {2, 1, 1, 2}), sizes);
  EXPECT_EQ(digits((drop | other).to_keep()), "01|10");
  EXPECT_EQ((drop | other).to_keep(), drop.to_keep() & other.to_keep());
}

TEST(KeepMask, ComesBackFromEveryDialectItIsWrittenIn) {
  Rng rng(7);
  for (int round = 0; round < 50; ++round) {
    const AttentionSizes sizes = {.batch = rng.below(4), .keys = rng.below(6)};
    Bytes cells(sizes.batch * sizes.keys);
    for (std::uint8_t& cell : cells) cell = static_cast<std::uint8_t>(rng.below(2));
    const KeepMask mask = keep(cells, sizes);
    const std::vector<std::size_t> keys = {sizes.batch, sizes.keys};
    const std::vector<std::size_t> all = {sizes.batch, 1, 1, sizes.keys};
    EXPECT_EQ(KeepMask::from_hf(array(mask.to_hf(), keys)), mask);
    EXPECT_EQ(KeepMask::from_keras(array(mask.to_keras(), keys)), mask);
    EXPECT_EQ(KeepMask::from_torch_padding(array(mask.to_torch_padding(), keys)), mask);
    EXPECT_EQ(KeepMask::from_sdpa(array(mask.to_sdpa(), all), sizes), mask);
  }
}

}  // namespace
}  // namespace padless
