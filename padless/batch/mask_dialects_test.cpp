// Each dialect's named constructor: what it reads, and what it refuses with which advice.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "padless/batch/bias.h"
#include "padless/batch/mask.h"
#include "padless/core/error.h"
#include "padless/testing/masks.h"

namespace padless {
namespace {

using testing::array;
using testing::digits;
using testing::expect_refused;

using Bools = std::vector<std::uint8_t>;  // bool cells, one byte each
using Floats = std::vector<float>;
using Int32s = std::vector<std::int32_t>;
using Int64s = std::vector<std::int64_t>;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr AttentionSizes kTwoByThree = {.batch = 2, .queries = 3, .keys = 3};

TEST(MaskDialects, SevenWaysToSayLengthsThreeAndOneAreOneMask) {
  const KeepMask mask = KeepMask::from_lengths(array(Int64s{3, 1}, {2}), 3);
  EXPECT_EQ(digits(mask), "111|100");
  EXPECT_EQ(KeepMask::from_cu_seqlens(array(Int32s{0, 3, 4}, {3}), 3), mask);
  EXPECT_EQ(KeepMask::from_hf(array(Int64s{1, 1, 1, 1, 0, 0}, {2, 3})), mask);
  EXPECT_EQ(KeepMask::from_keras(array(Bools{1, 1, 1, 1, 0, 0}, {2, 3})), mask);
  EXPECT_EQ(KeepMask::from_torch_padding(array(Bools{0, 0, 0, 0, 1, 1}, {2, 3})), mask);
  EXPECT_EQ(KeepMask::from_sdpa(array(Bools{1, 1, 1, 1, 0, 0}, {2, 1, 1, 3}), kTwoByThree), mask);
  const AdditiveMask additive =
      AdditiveMask::from_additive(array(Floats{0, 0, 0, 0, -kInf, -kInf}, {2, 3}), kTwoByThree);
  EXPECT_EQ(additive.keep, mask);
  EXPECT_EQ(additive.bias, std::nullopt);
}

TEST(MaskDialects, SevenWaysThereAndBackAreTheSameMask) {
  const KeepMask mask = KeepMask::from_lengths(array(Int64s{3, 1}, {2}), 3);
  const Segments lengths = mask.as_lengths().value_or(Segments());
  EXPECT_EQ(KeepMask::from_segments(lengths, 3), mask);
  const std::vector<std::int64_t> offsets(lengths.offsets().begin(), lengths.offsets().end());
  EXPECT_EQ(KeepMask::from_cu_seqlens(array(offsets, {3}), 3), mask);
  EXPECT_EQ(KeepMask::from_hf(array(mask.to_hf(), {2, 3})), mask);
  EXPECT_EQ(KeepMask::from_keras(array(mask.to_keras(), {2, 3})), mask);
  EXPECT_EQ(KeepMask::from_torch_padding(array(mask.to_torch_padding(), {2, 3})), mask);
  EXPECT_EQ(KeepMask::from_sdpa(array(mask.to_sdpa(), {2, 1, 1, 3}), kTwoByThree), mask);
  EXPECT_EQ(AdditiveMask::from_additive(array(mask.to_additive(), {2, 1, 1, 3}), kTwoByThree).keep,
            mask);
  EXPECT_EQ(
      AdditiveMask::from_additive(array(mask.to_additive(-1e9f), {2, 1, 1, 3}), kTwoByThree).keep,
      mask);
}

TEST(MaskDialects, ABoolArrayIsReadAsTheBytesThatItHolds) {
  const std::array<bool, 3> cells = {true, false, true};
  const MaskArray mask(std::span<const bool>(cells), {1, 3});
  EXPECT_EQ(digits(KeepMask::from_keras(mask)), "101");
  EXPECT_EQ(digits(KeepMask::from_torch_padding(mask)), "010");
  expect_refused(
      [] {
        KeepMask::from_keras(array(Bools{1, 2, 0}, {1, 3}));
      },
      {"cell 1", "is 2", "expected 0 or 1"});
}

TEST(MaskDialects, LengthsAndOffsetsAreCheckedOnceAtTheDoor) {
  expect_refused(
      [] {
        KeepMask::from_lengths(array(Int64s{2, 5}, {2}), 4);
      },
      {"length 1 is 5", "at most 4"});
  expect_refused([] { KeepMask::from_lengths(array(Int64s{2, -1}, {2}), 4); }, {"length 1 is -1"});
  expect_refused(
      [] {
        KeepMask::from_lengths(array(Int64s{1, 1}, {1, 2}), 4);
      },
      {"one dimension", "dialect"});
  expect_refused([] { KeepMask::from_lengths(array(Floats{1, 1}, {2}), 4); }, {"int32 or int64"});
  expect_refused([] { KeepMask::from_cu_seqlens(array(Int32s{3, 1}, {2}), 4); }, {"offset 0 is 3"});
  expect_refused(
      [] {
        KeepMask::from_cu_seqlens(array(Int32s{0, 3, 2}, {3}), 4);
      },
      {"offset 2 is 2"});
  expect_refused(
      [] {
        KeepMask::from_cu_seqlens(array(Int32s{0, -2}, {2}), 4);
      },
      {"last offset is -2"});
  EXPECT_EQ(KeepMask::from_cu_seqlens(array(Int32s{0}, {1}), 4).sizes().batch, 0u);
}

TEST(MaskDialects, BertAndHuggingFaceKeepOnesAndGuessNothing) {
  EXPECT_EQ(digits(KeepMask::from_bert(array(Int32s{1, 0, 0, 1}, {2, 2}))), "10|01");
  // It looks as if 1 meant pad here: it is left padding, and taken as it stands.
  EXPECT_EQ(digits(KeepMask::from_hf(array(Int64s{0, 0, 1, 0, 1, 1}, {2, 3}))), "001|011");
  EXPECT_EQ(digits(KeepMask::from_hf(array(Bools{1, 0}, {1, 2}))), "10");
  expect_refused(
      [] {
        KeepMask::from_hf(array(Int64s{1, 1, 2, 2}, {1, 4}));
      },
      {"cell 2", "is 2", "expected 0 or 1"});
  expect_refused(
      [] {
        KeepMask::from_hf(array(Floats{1, 1, 0}, {1, 3}));
      },
      {"float [1, 3]", "expected int64", "from_additive", "KeepMask::of"});
  expect_refused(
      [] {
        KeepMask::from_hf(array(Bools{1, 1, 0}, {1, 1, 1, 3}));
      },
      {"expected [B, S]", "from_sdpa"});
  expect_refused(
      [] {
        KeepMask::from_hf(array(Int64s{1, 1, 0}, {1, 1, 1, 3}));
      },
      {"expected [B, S]", "KeepMask::of"});
  expect_refused([] { KeepMask::from_hf(array(Int64s{1, 1, 0}, {3})); }, {"expected [B, S]"});
  expect_refused(
      [] {
        KeepMask::from_bert(array(Bools{1, 1, 0}, {1, 3}));
      },
      {"expected int32", "from_keras"});
  expect_refused(
      [] {
        KeepMask::from_bert(array(Int32s{1, 1, 0}, {1, 1, 3}));
      },
      {"expected [B, S]", "to_mask"});
}

TEST(MaskDialects, KerasKeepsWhereTrue) {
  const KeepMask mask =
      KeepMask::from_keras(array(Bools{1, 0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1}, {2, 3, 2}));
  EXPECT_EQ(mask.sizes(), (AttentionSizes{.batch = 2, .heads = 1, .queries = 3, .keys = 2}));
  EXPECT_EQ(digits(mask, 1, 3), "10 01 10|10 11 11");
  expect_refused(
      [] {
        KeepMask::from_keras(array(Int64s{1, 1, 0}, {1, 3}));
      },
      {"expected bool", "from_hf"});
  expect_refused(
      [] {
        KeepMask::from_keras(array(Bools{1, 1, 0}, {3}));
      },
      {"expected [B, S]", "[B, L, S]"});
}

TEST(MaskDialects, KerasMaskingDropsAStepOnlyWhenAllItsFeaturesAreTheValue) {
  const Floats x = {0, 0, 0, 1, 2, 0, -0.0f, 0, NAN, 0, 0, 0};
  const MatrixView<const float> view(x.data(), 6, 2);
  EXPECT_EQ(digits(KeepMask::from_keras_masking(view, 2, 0)), "011|010");
  EXPECT_EQ(digits(KeepMask::from_keras_masking(view, 2, 1)), "111|111");
  EXPECT_EQ(KeepMask::from_keras_masking({}, 0, 0), KeepMask());
  expect_refused([&] { KeepMask::from_keras_masking(view, 4, 0); }, {"6 rows", "multiple of 4"});
  expect_refused([&] { KeepMask::from_keras_masking(view, 0, 0); }, {"6 rows"});
  expect_refused([&] { KeepMask::from_keras_masking(view, 2, NAN); }, {"NaN"});
}

TEST(MaskDialects, TorchPaddingIsTrueForPads) {
  expect_refused(
      [] {
        KeepMask::from_torch_padding(array(Floats{0, 1}, {1, 2}));
      },
      {"expected bool", "from_additive", "DropMask::of"});
  expect_refused(
      [] {
        KeepMask::from_torch_padding(array(Int64s{1, 0}, {1, 2}));
      },
      {"expected bool", "from_hf"});
  expect_refused(
      [] {
        KeepMask::from_torch_padding(array(Bools{0, 1}, {1, 1, 2}));
      },
      {"expected [B, S]", "from_torch_attention"});
}

TEST(MaskDialects, TorchAttentionIsTrueForWhatIsNotAllowed) {
  const Bools causal = {0, 1, 1, 0, 0, 1, 0, 0, 0};
  const KeepMask mask = KeepMask::from_torch_attention(array(causal, {3, 3}), kTwoByThree);
  EXPECT_EQ(digits(mask, 1, 3), "100 110 111|100 110 111");
  expect_refused(
      [] {
        KeepMask::from_torch_attention(array(Bools(6), {2, 3}), kTwoByThree);
      },
      {"expected [L, S]", "from_torch_padding"});
  expect_refused([] { KeepMask::from_torch_attention(array(Bools(3), {3}), kTwoByThree); },
                 {"[L, S]"});
  expect_refused(
      [] {
        KeepMask::from_torch_attention(array(Floats(9), {3, 3}), kTwoByThree);
      },
      {"expected bool", "from_additive"});
}

TEST(MaskDialects, AMaskOfBatchTimesHeadsNamesItsOrder) {
  const AttentionSizes sizes = {.batch = 2, .heads = 2, .queries = 1, .keys = 3};
  // Sequence 0 keeps 110 and sequence 1 keeps 100, in both heads.
  const Bools batch_major = {0, 0, 1, 0, 0, 1, 0, 1, 1, 0, 1, 1};
  const Bools tiled = {0, 0, 1, 0, 1, 1, 0, 0, 1, 0, 1, 1};
  const auto read = [&](const Bools& cells, std::optional<HeadOrder> order) {
    return digits(KeepMask::from_torch_attention(array(cells, {4, 1, 3}), sizes, order), 2);
  };
  EXPECT_EQ(read(batch_major, HeadOrder::batch_major), "110/110|100/100");
  EXPECT_EQ(read(tiled, HeadOrder::head_major), "110/110|100/100");
  EXPECT_EQ(read(tiled, HeadOrder::batch_major), "110/100|110/100");
  expect_refused([&] { read(batch_major, std::nullopt); },
                 {"[4, 1, 3]", "order", "batch_major", "head_major"});
  expect_refused(
      [&] {
        KeepMask::of(array(batch_major, {4, 1, 3}), sizes);
      },
      {"probably [B * H, L, S]", "[B, H, L, S]", "HeadOrder"});
}

TEST(MaskDialects, AFloatMaskOfBatchTimesHeadsNamesItsOrder) {
  const AttentionSizes sizes = {.batch = 2, .heads = 2, .queries = 1, .keys = 3};
  // Sequence 0 keeps 110 and sequence 1 keeps 100; a key is biased by its head.
  const Floats batch_major = {0, 1, -kInf, 0, 2, -kInf, 1, -kInf, -1e9f, 2, -kInf, -1e9f};
  const Floats tiled = {0, 1, -kInf, 1, -kInf, -1e9f, 0, 2, -kInf, 2, -kInf, -1e9f};
  const auto read = [&](const Floats& cells, std::optional<HeadOrder> order) {
    return AdditiveMask::from_additive(array(cells, {4, 1, 3}), sizes, order);
  };
  const AdditiveMask mask = read(batch_major, HeadOrder::batch_major);
  EXPECT_EQ(digits(mask.keep, 2), "110/110|100/100");
  ASSERT_TRUE(mask.bias.has_value());
  const Bias bias = mask.bias.value_or(Bias());
  EXPECT_EQ(bias.row(0, 1, 0)[1], 2);
  EXPECT_EQ(bias.row(1, 0, 0)[0], 1);
  EXPECT_EQ(bias.row(1, 0, 0)[1], 0);
  const AdditiveMask same = read(tiled, HeadOrder::head_major);
  EXPECT_EQ(same.keep, mask.keep);
  EXPECT_EQ(same.bias, mask.bias);
  expect_refused([&] { read(batch_major, std::nullopt); },
                 {"probably [B * H, L, S]", "[B, H, L, S]", "from_additive with a HeadOrder"});
  expect_refused([&] { read(Floats(12, 1), HeadOrder::batch_major); },
                 {"only 0 and 1", "given [B, H, L, S]"});
  // A look-ahead mask: with an order it reads one way alone, also where B = L.
  const AdditiveMask look_ahead =
      AdditiveMask::from_additive(array(Floats{0, -kInf, 0, 0}, {2, 2}),
                                  {.batch = 2, .queries = 2, .keys = 2}, HeadOrder::batch_major);
  EXPECT_EQ(digits(look_ahead.keep, 1, 2), "10 11|10 11");
  expect_refused(
      [] {
        AdditiveMask::from_additive(array(Floats(6), {2, 3}), kTwoByThree, HeadOrder::batch_major);
      },
      {"expected [L, S] or [B * H, L, S]", "without a HeadOrder"});
}

TEST(MaskDialects, SdpaBroadcastsAsTorchDoes) {
  const AttentionSizes sizes = {.batch = 2, .heads = 3, .queries = 4, .keys = 2};
  const auto read = [&](std::vector<std::size_t> shape, const Bools& cells) {
    return KeepMask::from_sdpa(array(cells, std::move(shape)), sizes);
  };
  EXPECT_EQ(digits(read({4, 2}, {1, 0, 1, 1, 0, 1, 0, 0}), 1, 4), "10 11 01 00|10 11 01 00");
  EXPECT_EQ(digits(read({1, 2}, {1, 0}), 3, 1), "10/10/10|10/10/10");
  EXPECT_EQ(digits(read({3, 1, 2}, {1, 0, 0, 1, 1, 1}), 3, 2),
            "10 10/01 01/11 11|10 10/01 01/11 11");
  EXPECT_EQ(digits(read({2, 1, 1, 2}, {1, 0, 0, 1}), 1, 4), "10 10 10 10|01 01 01 01");
  EXPECT_EQ(digits(read({2, 1, 1, 1}, {1, 0}), 1, 1), "11|00");
  expect_refused(
      [&] {
        read({2, 2}, Bools(4));
      },
      {"uint8 [2, 2]", "probably [B, S]", "from_hf", "from_torch_padding"});
  expect_refused([&] { read({2, 4, 2}, Bools(16)); }, {"probably [B, L, S]", "[B, 1, L, S]"});
  expect_refused([&] { read({6, 4, 2}, Bools(48)); }, {"probably [B * H, L, S]"});
  expect_refused([&] { read({5, 4, 2}, Bools(40)); }, {"expected [H, L, S]", "[2, 3, 4, 2]"});
  expect_refused([&] { read({3, 4, 3}, Bools(36)); }, {"expected [.., L, S]"});
  expect_refused([&] { read({2, 3, 4, 3}, Bools(72)); }, {"expected [B, H, L, S] = [2, 3, 4, 2]"});
  expect_refused([&] { read({2}, Bools(2)); }, {"expected 2, 3 or 4 dimensions", "[1, 1, 1, S]"});
  expect_refused([&] { KeepMask::of(array(Int64s(2), {2}), sizes); }, {"from_lengths"});
  expect_refused([&] { KeepMask::from_sdpa(array(Floats(8), {4, 2}), sizes); }, {"from_additive"});
}

TEST(MaskDialects, AShapeWithTwoReadingsIsRefusedByNamingBoth) {
  const AttentionSizes sizes = {.batch = 3, .queries = 3, .keys = 3};
  const Bools cells = {1, 1, 1, 1, 1, 0, 1, 0, 0};
  for (const auto read : {&KeepMask::of, &KeepMask::from_sdpa}) {
    expect_refused(
        [&] {
          read(array(cells, {3, 3}), sizes);
        },
        {"reads as [B, S]", "as [L, S]", "B = L = 3", "[B, 1, 1, S] or [1, 1, L, S]"});
  }
  expect_refused([&] { DropMask::of(array(cells, {3, 3}), sizes); }, {"DropMask::of", "B = L = 3"});
  EXPECT_EQ(digits(KeepMask::of(array(cells, {3, 1, 1, 3}), sizes)), "111|110|100");
  EXPECT_EQ(digits(KeepMask::of(array(cells, {1, 1, 3, 3}), sizes), 1, 3),
            "111 110 100|111 110 100|111 110 100");
  expect_refused(
      [&] {
        KeepMask::of(array(Bools(27), {3, 3, 3}),
                     {.batch = 3, .heads = 3, .queries = 3, .keys = 3});
      },
      {"reads as [H, L, S] and as [B, L, S]", "B = H = 3"});
  // One sequence: both readings of one row are the same mask.
  const AttentionSizes one = {.batch = 1, .queries = 1, .keys = 3};
  EXPECT_EQ(digits(KeepMask::of(array(Bools{1, 0, 1}, {1, 3}), one)), "101");
}

TEST(MaskDialects, AnyZerosAndOnesAreReadByTheSideThatTheTypeNames) {
  EXPECT_EQ(digits(KeepMask::of(array(Floats{1, 1, 0, 1, 0, 0}, {2, 3}), kTwoByThree)), "110|100");
  EXPECT_EQ(digits(DropMask::of(array(Int64s{0, 0, 1, 0, 1, 1}, {2, 3}), kTwoByThree).to_keep()),
            "110|100");
  expect_refused(
      [] {
        KeepMask::of(array(Floats(6, -1), {2, 3}), kTwoByThree);
      },
      {"is -1", "expected 0 or 1", "from_additive"});
  expect_refused([] { KeepMask::of(array(Floats(6, NAN), {2, 3}), kTwoByThree); }, {"nan"});
}

TEST(MaskDialects, TheTensorFlowTutorialMarksPadsAndTheFuture) {
  const KeepMask padding =
      KeepMask::from_tf_tutorial(array(Floats{0, 0, 1, 0, 1, 1}, {2, 1, 1, 3}), kTwoByThree);
  EXPECT_EQ(digits(padding), "110|100");
  const KeepMask look_ahead =
      KeepMask::from_tf_tutorial(array(Floats{0, 1, 1, 0, 0, 1, 0, 0, 0}, {3, 3}), kTwoByThree);
  EXPECT_EQ(digits(look_ahead, 1, 3), "100 110 111|100 110 111");
  // The tutorial combines the two by their maximum.
  const Floats maximum = {0, 1, 1, 0, 0, 1, 0, 0, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1};
  EXPECT_EQ(KeepMask::from_tf_tutorial(array(maximum, {2, 1, 3, 3}), kTwoByThree),
            padding & look_ahead);
  expect_refused(
      [] {
        KeepMask::from_tf_tutorial(array(Floats(6), {2, 3}), kTwoByThree);
      },
      {"[B, 1, 1, S]", "has its [B, S] spread"});
  expect_refused(
      [] {
        KeepMask::from_tf_tutorial(array(Floats{0, 0, -1e9f, 0, 0, 0}, {2, 1, 1, 3}), kTwoByThree);
      },
      {"-1e+09", "from_additive"});
}

TEST(MaskDialects, MaskIndexIsReadInItsFiveForms) {
  const AttentionSizes sizes = {.batch = 2, .heads = 4, .queries = 3, .keys = 6};
  const auto read = [&](std::vector<std::size_t> shape, const Int32s& cells) {
    return KeepMask::from_mask_index(array(cells, std::move(shape)), sizes);
  };
  const KeepMask mask = KeepMask::from_lengths(array(Int64s{3, 5}, {2}), 6);
  EXPECT_EQ(read({2, 6}, {1, 1, 1, 0, 0, 0, 1, 1, 1, 1, 1, 0}), mask);
  EXPECT_EQ(read({2}, {3, 5}), mask);
  EXPECT_EQ(read({4}, {3, 5, 0, 0}), mask);
  EXPECT_EQ(read({8}, {3, 5, 0, 3, 6, 0, 6, 12}), mask);
  EXPECT_EQ(digits(read({4}, {6, 6, 3, 5})), "000111|000001");  // left padding
  EXPECT_EQ(digits(read({4}, {4, 2, 1, 2})), "011100|000000");
  Int32s three(36, 1);
  three[5] = three[18] = 0;
  EXPECT_EQ(digits(read({2, 3, 6}, three), 1, 3), "111110 111111 111111|011111 111111 111111");
}

TEST(MaskDialects, MaskIndexRefusesWhatIsNoneOfItsForms) {
  const AttentionSizes sizes = {.batch = 2, .heads = 4, .queries = 3, .keys = 6};
  const auto read = [&](std::vector<std::size_t> shape, const Int32s& cells) {
    return KeepMask::from_mask_index(array(cells, std::move(shape)), sizes);
  };
  expect_refused([&] { read({4}, {0, 0, 3, 5}); }, {"starts at 3", "ends at 0", "ends first"});
  expect_refused([&] { read({2}, {7, 1}); }, {"sequence 0", "within [0, 6)"});
  expect_refused([&] { read({2}, {1, -1}); }, {"sequence 1", "0 or more"});
  expect_refused([&] { read({4}, {3, 5, -1, 0}); }, {"sequence 0", "within [0, 6)"});
  expect_refused(
      [&] {
        read({8}, {3, 5, 0, 3, 6, 0, 3, 8});
      },
      {"start of key 1 is 3", "expected 6", "Segments"});
  expect_refused([&] { read({8}, {3, 5, 0, 6, 12, 0, 6, 12}); }, {"start of query 1 is 6"});
  expect_refused([&] { read({2, 1}, {1, 1}); }, {"dummy", "none"});
  expect_refused([&] { read({3}, {1, 1, 1}); }, {"int32 [3]", "[2]", "[4]", "[8]"});
  expect_refused([&] { read({2, 6}, Int32s(12, 2)); }, {"is 2", "expected 0 or 1"});
  expect_refused(
      [&] {
        KeepMask::from_mask_index(array(Int64s{3, 5}, {2}), sizes);
      },
      {"expected int32"});
}

TEST(MaskDialects, AdditiveFillsOfEveryLibraryDropTheirKeys) {
  for (const float fill : {-10000.0f, -9984.0f, -1e9f, -3e4f, -65504.0f, -45856.0f, -2.3819763e38f,
                           std::numeric_limits<float>::lowest(), -3.3895314e38f, -kInf, -1e30f}) {
    const AdditiveMask mask = AdditiveMask::from_additive(
        array(Floats{0, fill, -0.0f, 0, 0, fill}, {2, 1, 1, 3}), kTwoByThree);
    EXPECT_EQ(digits(mask.keep), "101|110") << fill;
    EXPECT_EQ(mask.bias, std::nullopt) << fill;
  }
}

TEST(MaskDialects, AdditiveNumbersThatAreNoFillsAreABias) {
  const AdditiveMask mask = AdditiveMask::from_additive(
      array(Floats{0, -1, -kInf, 0.5f, 0, -1e9f, -9000, 1, 0}, {1, 1, 3, 3}), kTwoByThree);
  EXPECT_EQ(digits(mask.keep, 1, 3), "110 110 111|110 110 111");
  ASSERT_TRUE(mask.bias.has_value());
  const auto row = [&](std::size_t q) {
    const auto cells = mask.bias->row(1, 0, q);
    return Floats(cells.begin(), cells.end());
  };
  EXPECT_EQ(row(0), (Floats{0, -1, 0}));
  EXPECT_EQ(row(1), (Floats{0.5f, 0, 0}));
  EXPECT_EQ(row(2), (Floats{-9000, 1, 0}));
}

TEST(MaskDialects, AFloatMaskOfOnlyZerosAndOnesIsRefused) {
  try {
    AdditiveMask::from_additive(array(Floats{1, 1, 0}, {1, 1, 1, 3}),
                                {.batch = 1, .queries = 3, .keys = 3});
    FAIL() << "nothing was thrown";
  } catch (const ValueError& error) {
    EXPECT_STREQ(error.what(),
                 "AdditiveMask::from_additive: refused: the float mask float [1, 1, 1, 3] contains "
                 "only 0 and 1; use KeepMask::of (1 = may attend), DropMask::of (1 = may not) or "
                 "Bias::of (added to scores)");
  }
  const AdditiveMask zeros = AdditiveMask::from_additive(array(Floats(6), {2, 3}), kTwoByThree);
  EXPECT_EQ(digits(zeros.keep), "111|111");
  EXPECT_EQ(zeros.bias, std::nullopt);
}

TEST(MaskDialects, AdditiveRefusesWhatNoScoreCanTake) {
  const auto read = [](float odd) {
    AdditiveMask::from_additive(array(Floats{0, odd, 0, 0, 0, 0}, {2, 3}), kTwoByThree);
  };
  expect_refused([&] { read(NAN); }, {"cell 1", "nan"});
  expect_refused([&] { read(kInf); }, {"cell 1", "inf"});
  expect_refused(
      [] {
        AdditiveMask::from_additive(array(Int64s(6), {2, 3}), kTwoByThree);
      },
      {"expected float", "KeepMask::of", "DropMask::of"});
  expect_refused(
      [] {
        AdditiveMask::from_additive(array(Floats(9), {3, 3}),
                                    {.batch = 3, .queries = 3, .keys = 3});
      },
      {"B = L = 3"});
}

/// A door for arrays, as messages name it.
struct Door {
  std::string_view name;
  std::function<void(const MaskArray&, const AttentionSizes&)> read;
};

// The longer one of two names that begin alike comes first.
const std::vector<Door> kDoors = {
    {"from_lengths", [](const auto& mask, const auto& s) { KeepMask::from_lengths(mask, s.keys); }},
    {"from_cu_seqlens",
     [](const auto& mask, const auto& s) { KeepMask::from_cu_seqlens(mask, s.keys); }},
    {"KeepMask::of", [](const auto& mask, const auto& s) { KeepMask::of(mask, s); }},
    {"DropMask::of", [](const auto& mask, const auto& s) { DropMask::of(mask, s); }},
    {"Bias::of", [](const auto& mask, const auto& s) { Bias::of(mask, s); }},
    {"from_bert", [](const auto& mask, const auto&) { KeepMask::from_bert(mask); }},
    {"from_hf", [](const auto& mask, const auto&) { KeepMask::from_hf(mask); }},
    {"from_keras", [](const auto& mask, const auto&) { KeepMask::from_keras(mask); }},
    {"from_torch_padding",
     [](const auto& mask, const auto&) { KeepMask::from_torch_padding(mask); }},
    {"from_torch_attention",
     [](const auto& mask, const auto& s) {
       KeepMask::from_torch_attention(mask, s, HeadOrder::batch_major);
     }},
    {"from_sdpa", [](const auto& mask, const auto& s) { KeepMask::from_sdpa(mask, s); }},
    {"from_tf_tutorial",
     [](const auto& mask, const auto& s) { KeepMask::from_tf_tutorial(mask, s); }},
    {"from_mask_index",
     [](const auto& mask, const auto& s) { KeepMask::from_mask_index(mask, s); }},
    {"from_additive with a HeadOrder",
     [](const auto& mask, const auto& s) {
       AdditiveMask::from_additive(mask, s, HeadOrder::batch_major);
     }},
    {"from_additive",
     [](const auto& mask, const auto& s) { AdditiveMask::from_additive(mask, s); }},
};

/// The message of the door's refusal without the door's own name; empty where it takes the array.
std::string refusal(const Door& door, const MaskArray& mask, const AttentionSizes& sizes) {
  try {
    door.read(mask, sizes);
    return "";
  } catch (const Error& error) {
    const std::string message = error.what();
    return message.substr(message.find(": "));
  }
}

/// An array's shape, and the same as [B, H, L, S] with 1 in place of what it leaves out.
struct Shapes {
  std::vector<std::size_t> own, four;
};

std::vector<Shapes> shapes_of(const AttentionSizes& s) {
  const std::size_t b = s.batch, h = s.heads, l = s.queries, k = s.keys;
  return {{{k}, {1, 1, 1, k}},           {{b}, {b, 1, 1, 1}},          {{b, k}, {b, 1, 1, k}},
          {{l, k}, {1, 1, l, k}},        {{h, l, k}, {1, h, l, k}},    {{b, l, k}, {b, 1, l, k}},
          {{b * h, l, k}, {b, h, l, k}}, {{b, 1, 1, k}, {b, 1, 1, k}}, {{1, 1, l, k}, {1, 1, l, k}},
          {{b, h, l, k}, {b, h, l, k}}};
}

/// Offers the array to every door and follows what the refusals advise: how many doors they named.
template <class T>
std::size_t follow_advice(const Shapes& shapes, const AttentionSizes& sizes, T even, T odd) {
  std::size_t count = 1, named = 0;
  for (const std::size_t dim : shapes.own) count *= dim;
  std::vector<T> cells(count, even);
  for (std::size_t i = 1; i < count; i += 2) cells[i] = odd;
  const MaskArray own = array(cells, shapes.own), four = array(cells, shapes.four);
  for (const Door& door : kDoors) {
    const std::string message = refusal(door, own, sizes);
    const bool in_four = message.find("given [B, ") != std::string::npos;
    std::string rest = message;
    bool advised = false;
    // The way out may be another shape at the same door.
    bool taken =
        message.find("give [B, ") != std::string::npos && refusal(door, four, sizes).empty();
    for (const Door& other : kDoors) {
      const std::size_t at = rest.find(other.name);
      if (at == std::string::npos) continue;
      rest.erase(at, other.name.size());
      ++named;
      advised = true;
      taken = taken || refusal(other, own, sizes).empty() ||
              (in_four && refusal(other, four, sizes).empty());
    }
    EXPECT_TRUE(!advised || taken) << door.name << message;
  }
  return named;
}

// A way out that is none would send its reader in a circle.
TEST(MaskDialects, ADoorThatARefusalNamesTakesTheArray) {
  std::size_t named = 0;
  for (const AttentionSizes& sizes :
       {AttentionSizes{.batch = 2, .heads = 3, .queries = 4, .keys = 5},
        AttentionSizes{.batch = 3, .heads = 2, .queries = 3, .keys = 5},
        AttentionSizes{.batch = 2, .heads = 2, .queries = 4, .keys = 5}}) {
    for (const Shapes& shapes : shapes_of(sizes)) {
      named += follow_advice<std::uint8_t>(shapes, sizes, 0, 1);
      named += follow_advice<std::int32_t>(shapes, sizes, 0, 1);
      named += follow_advice<std::int64_t>(shapes, sizes, 0, 1);
      named += follow_advice<float>(shapes, sizes, 0, 1);
      named += follow_advice<float>(shapes, sizes, 0, -kInf);
      named += follow_advice<float>(shapes, sizes, 0.5f, 0);
    }
  }
  EXPECT_GT(named, 1000u);
}

}  // namespace
}  // namespace padless
