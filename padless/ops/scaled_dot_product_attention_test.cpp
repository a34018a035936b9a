#include "padless/ops/scaled_dot_product_attention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "padless/core/error.h"
#include "padless/core/rng.h"
#include "padless/testing/bits.h"
#include "padless/testing/contract.h"
#include "padless/testing/refusal.h"

namespace padless {
namespace {

using Shape = std::vector<std::size_t>;

/// Floats of their own with a shape.
struct Owned {
  std::vector<float> cells;
  Shape shape;

  FloatArray view() const { return {cells, shape}; }
};

const Owned kTutorialKeys = {{10, 0, 0, 0, 10, 0, 0, 0, 10, 0, 0, 10}, {4, 3}};
const Owned kTutorialValues = {{1, 0, 10, 0, 100, 5, 1000, 6}, {4, 2}};

void expect_near(std::span<const float> found, const std::vector<float>& expected, double within) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], within) << i;
}

// The numbers that the Transformer tutorial prints, to its two decimals.
TEST(ScaledDotProductAttention, GivesTheTutorialsNumbers) {
  testing::for_each_runtime([](Runtime& runtime) {
    const Owned q = {{0, 10, 0, 0, 0, 10, 10, 10, 0}, {3, 3}};
    const PaddedAttention result = scaled_dot_product_attention(
        runtime, q.view(), kTutorialKeys.view(), kTutorialValues.view());
    EXPECT_EQ(result.output_shape, (Shape{3, 2}));
    EXPECT_EQ(result.weights_shape, (Shape{3, 4}));
    expect_near(result.weights, {0, 1, 0, 0, 0, 0, .5, .5, .5, .5, 0, 0}, 5e-3);
    expect_near(result.output, {10, 0, 550, 5.5, 5.5, 0}, 5e-3);
  });
}

TEST(ScaledDotProductAttention, KeepsTheHolesOfAMask) {
  const std::vector<float> ones_drop = {0, 0, 1, 1, 0, 0, 0, 1, 0};
  const Owned x = {{1, 2, 3, 4, 5, 6}, {1, 1, 3, 2}};
  const Shape leading = {1, 1};
  const DropMask mask = DropMask::broadcast(
      MaskArray(std::span<const float>(ones_drop), {1, 1, 3, 3}), leading, 3, 3);
  testing::for_each_runtime([&](Runtime& runtime) {
    const PaddedAttention result =
        scaled_dot_product_attention(runtime, x.view(), x.view(), x.view(), mask);
    for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(result.weights[i] == 0, ones_drop[i] == 1) << i;
  });
}

// Scores 1, 1 and a masked 5. A score times 0, or filled with 0 or -1e-9, still weighs 0.155.
TEST(ScaledDotProductAttention, AMaskedKeyWeighsNothing) {
  const Owned q = {{1}, {1, 1}}, k = {{1, 1, 5}, {3, 1}}, v = {{2, 4, 1000}, {3, 1}};
  const std::vector<std::uint8_t> kept = {1, 1, 0};
  const KeepMask mask =
      KeepMask::broadcast(MaskArray(std::span<const std::uint8_t>(kept), {3}), {}, 1, 3);
  testing::for_each_runtime([&](Runtime& runtime) {
    const PaddedAttention result =
        scaled_dot_product_attention(runtime, q.view(), k.view(), v.view(), mask, 1.0f);
    testing::expect_same_bits(result.weights, std::vector<float>{0.5f, 0.5f, 0});
    testing::expect_same_bits(result.output, std::vector<float>{3});
  });
}

// [[7,6,0,0,1],[1,2,3,0,0],[0,0,0,4,5]], where 0 is PAD: interior, right and left padding.
TEST(ScaledDotProductAttention, GivesThePaddedTheBitsOfThePacked) {
  const std::vector<std::vector<std::size_t>> real = {{0, 1, 4}, {0, 1, 2}, {3, 4}};
  std::vector<float> pads(15, 1);
  for (std::size_t b = 0; b < 3; ++b) {
    for (const std::size_t slot : real[b]) pads[b * 5 + slot] = 0;
  }
  constexpr std::size_t kHeads = 2, kWidth = 4;
  Rng rng(3);
  const Matrix<float> drawn = rng.normal(3 * kHeads * 5, kWidth, 1);
  Owned x{{drawn.cells().begin(), drawn.cells().end()}, {3, kHeads, 5, kWidth}};
  const auto row = [&](std::size_t b, std::size_t h, std::size_t slot) {
    return std::span(x.cells).subspan(((b * kHeads + h) * 5 + slot) * kWidth, kWidth);
  };
  const Shape leading = {3, kHeads};
  const KeepMask mask = KeepMask::from_tf_tutorial(
      MaskArray(std::span<const float>(pads), {3, 1, 1, 5}), {3, kHeads, 5, 5});
  testing::for_each_runtime([&](Runtime& runtime) {
    for (const float poison : {0.0f, 1e30f, std::numeric_limits<float>::quiet_NaN(),
                               std::numeric_limits<float>::infinity()}) {
      for (std::size_t i = 0; i < 15; ++i) {
        if (pads[i] == 0) continue;
        for (std::size_t h = 0; h < kHeads; ++h) std::ranges::fill(row(i / 5, h, i % 5), poison);
      }
      const PaddedAttention padded =
          scaled_dot_product_attention(runtime, x.view(), x.view(), x.view(), mask);
      for (std::size_t b = 0; b < 3; ++b) {
        for (std::size_t h = 0; h < kHeads; ++h) {
          Owned alone{{}, {real[b].size(), kWidth}};
          for (const std::size_t slot : real[b]) {
            const auto cells = row(b, h, slot);
            alone.cells.insert(alone.cells.end(), cells.begin(), cells.end());
          }
          const PaddedAttention packed =
              scaled_dot_product_attention(runtime, alone.view(), alone.view(), alone.view());
          for (std::size_t i = 0; i < real[b].size(); ++i) {
            const std::size_t at = (b * kHeads + h) * 5 + real[b][i];
            testing::expect_same_bits(std::span(padded.output).subspan(at * kWidth, kWidth),
                                      std::span(packed.output).subspan(i * kWidth, kWidth));
            for (std::size_t j = 0; j < real[b].size(); ++j) {
              EXPECT_EQ(padded.weights[at * 5 + real[b][j]],
                        packed.weights[i * real[b].size() + j]);
            }
          }
        }
      }
    }
  });
}

// More real keys than a block of attention holds: were pads counted, blocks would begin elsewhere.
TEST(ScaledDotProductAttention, TheAmountAndTheSideOfPaddingReachNoBit) {
  constexpr std::size_t kReal = 150, kWidth = 3;
  Rng rng(6);
  Matrix<float> q = rng.normal(1, kWidth, 1), k = rng.normal(kReal, kWidth, 1);
  const Matrix<float> v = rng.normal(kReal, kWidth, 1);
  // The maximum rises from block to block, so that sums are corrected where blocks begin.
  q(0, 0) = 1;
  for (std::size_t j = 0; j < kReal; ++j) k(j, 0) = 0.05f * static_cast<float>(j);
  const auto owned = [](const Matrix<float>& m) {
    return Owned{{m.cells().begin(), m.cells().end()}, {m.rows(), m.cols()}};
  };
  const Owned query = owned(q), keys = owned(k), values = owned(v);
  testing::for_each_runtime([&](Runtime& runtime) {
    const PaddedAttention alone =
        scaled_dot_product_attention(runtime, query.view(), keys.view(), values.view());
    for (const auto& [left, inside, right] :
         {std::array<std::size_t, 3>{100, 0, 0}, {0, 37, 0}, {0, 0, 300}, {1, 2, 3}}) {
      Owned wide_keys, wide_values;
      std::vector<std::uint8_t> kept;
      const auto pad = [&](std::size_t count) {
        wide_keys.cells.resize(wide_keys.cells.size() + count * kWidth, 7);
        wide_values.cells.resize(wide_values.cells.size() + count * kWidth, 7);
        kept.resize(kept.size() + count, 0);
      };
      pad(left);
      for (std::size_t j = 0; j < kReal; ++j) {
        if (j == 20) pad(inside);
        wide_keys.cells.insert(wide_keys.cells.end(), k.row(j).begin(), k.row(j).end());
        wide_values.cells.insert(wide_values.cells.end(), v.row(j).begin(), v.row(j).end());
        kept.push_back(1);
      }
      pad(right);
      wide_keys.shape = wide_values.shape = {kept.size(), kWidth};
      const KeepMask mask = KeepMask::broadcast(
          MaskArray(std::span<const std::uint8_t>(kept), {kept.size()}), {}, 1, kept.size());
      const PaddedAttention padded = scaled_dot_product_attention(
          runtime, query.view(), wide_keys.view(), wide_values.view(), mask);
      testing::expect_same_bits(padded.output, alone.output);
    }
  });
}

// Each column of the values has sums of its own, so wide values are narrow ones side by side.
TEST(ScaledDotProductAttention, TakesValuesWiderAndNarrowerThanKeys) {
  constexpr std::size_t kQueries = 2, kKeys = 3, kWidth = 2, kWide = 5;
  Rng rng(7);
  const auto owned = [](const Matrix<float>& m) {
    return Owned{{m.cells().begin(), m.cells().end()}, {m.rows(), m.cols()}};
  };
  const Owned q = owned(rng.normal(kQueries, kWidth, 1)), k = owned(rng.normal(kKeys, kWidth, 1));
  const Matrix<float> values = rng.normal(kKeys, kWide, 1);
  testing::for_each_runtime([&](Runtime& runtime) {
    const PaddedAttention wide =
        scaled_dot_product_attention(runtime, q.view(), k.view(), owned(values).view());
    ASSERT_EQ(wide.output_shape, (Shape{kQueries, kWide}));
    EXPECT_EQ(wide.weights_shape, (Shape{kQueries, kKeys}));
    for (std::size_t c = 0; c < kWide; ++c) {
      Owned column{{}, {kKeys, 1}};
      for (std::size_t j = 0; j < kKeys; ++j) column.cells.push_back(values(j, c));
      const PaddedAttention narrow =
          scaled_dot_product_attention(runtime, q.view(), k.view(), column.view());
      testing::expect_same_bits(narrow.weights, wide.weights, "weights");
      for (std::size_t i = 0; i < kQueries; ++i) {
        EXPECT_EQ(wide.output[i * kWide + c], narrow.output[i]) << c;
      }
    }
  });
}

TEST(ScaledDotProductAttention, CombinesLookAheadAndPadding) {
  const std::vector<float> look_ahead = {0, 1, 1, 0, 0, 1, 0, 0, 0}, pads = {0, 0, 1};
  const AttentionSizes sizes{1, 1, 3, 3};
  const KeepMask causal =
      KeepMask::from_tf_tutorial(MaskArray(std::span<const float>(look_ahead), {3, 3}), sizes);
  const KeepMask padding =
      KeepMask::from_tf_tutorial(MaskArray(std::span<const float>(pads), {1, 1, 1, 3}), sizes);
  const Owned x = {{1, 2, 3}, {1, 1, 3, 1}};
  Runtime runtime;
  const PaddedAttention result =
      scaled_dot_product_attention(runtime, x.view(), x.view(), x.view(), causal & padding);
  const std::vector<std::uint8_t> seen = {1, 0, 0, 1, 1, 0, 1, 1, 0};
  for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(result.weights[i] > 0, seen[i] == 1) << i;
}

TEST(ScaledDotProductAttention, SpreadsAMaskOverAnyLeadingDimensions) {
  Rng rng(4);
  const Matrix<float> drawn = rng.normal(24, 3, 1);
  const Owned x{{drawn.cells().begin(), drawn.cells().end()}, {2, 3, 2, 2, 3}};
  const Shape leading = {2, 3, 2};
  // One row of keys for each entry of the second leading dimension.
  const std::vector<std::uint8_t> rows = {1, 1, 1, 0, 0, 1};
  const KeepMask mask = KeepMask::broadcast(
      MaskArray(std::span<const std::uint8_t>(rows), {3, 1, 1, 2}), leading, 2, 2);
  Runtime runtime;
  const PaddedAttention result =
      scaled_dot_product_attention(runtime, x.view(), x.view(), x.view(), mask);
  for (std::size_t n = 0; n < 12; ++n) {
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(result.weights[n * 4 + i] > 0, rows[n / 2 % 3 * 2 + i % 2] == 1) << n;
    }
  }
}

TEST(ScaledDotProductAttention, AddsABiasAndDropsWhatAFillConstantMeant) {
  const std::vector<float> additive = {0, 1, -1e9f};
  const AdditiveMask mask = AdditiveMask::from_additive(
      MaskArray(std::span<const float>(additive), {1, 1, 1, 3}), {1, 1, 1, 3});
  const Owned q = {{0}, {1, 1, 1, 1}}, k = {{1, 2, 3}, {1, 1, 3, 1}};
  Runtime runtime;
  const PaddedAttention result =
      scaled_dot_product_attention(runtime, q.view(), k.view(), k.view(), mask);
  expect_near(result.weights, {0.26894142f, 0.73105858f, 0}, 1e-7);
  EXPECT_EQ(result.weights[2], 0);
}

TEST(ScaledDotProductAttention, GivesZerosToAQueryThatMaySeeNothing) {
  const std::vector<std::uint8_t> none = {0, 0};
  const Shape leading = {};
  const KeepMask mask =
      KeepMask::broadcast(MaskArray(std::span<const std::uint8_t>(none), {2}), leading, 1, 2);
  const Owned q = {{1}, {1, 1}}, k = {{1, 2}, {2, 1}};
  Runtime runtime;
  const PaddedAttention result =
      scaled_dot_product_attention(runtime, q.view(), k.view(), k.view(), mask);
  EXPECT_EQ(result.output, (std::vector<float>{0}));
  EXPECT_EQ(result.weights, (std::vector<float>{0, 0}));
}

std::string message_of(const Owned& q, const Owned& k, const Owned& v,
                       const PaddedMask& mask = {}) {
  Runtime runtime;
  return testing::refusal(
      [&] { scaled_dot_product_attention(runtime, q.view(), k.view(), v.view(), mask); });
}

// A mask over no queries, or no heads, has no cell that could be read.
TEST(ScaledDotProductAttention, OfNoQueriesOrNoHeadsIsNothingWhateverTheMask) {
  Runtime runtime;
  const std::vector<float> none, keys(6, 1.0f);
  for (const std::size_t batch : {1, 3}) {
    const std::vector<std::size_t> leading = {batch};
    const KeepMask mask = KeepMask::broadcast(
        MaskArray(std::span<const std::uint8_t>(), {batch, 0, 6 / batch}), leading, 0, 6 / batch);
    const PaddedAttention result =
        scaled_dot_product_attention(runtime, {none, {batch, 0, 1}}, {keys, {batch, 6 / batch, 1}},
                                     {keys, {batch, 6 / batch, 1}}, mask);
    EXPECT_EQ(result.output_shape, (std::vector<std::size_t>{batch, 0, 1}));
    EXPECT_EQ(result.weights_shape, (std::vector<std::size_t>{batch, 0, 6 / batch}));
  }
  const std::vector<std::size_t> leading = {2, 0};
  const KeepMask mask =
      KeepMask::broadcast(MaskArray(std::span<const std::uint8_t>(), {2, 0, 1, 3}), leading, 2, 3);
  const PaddedAttention result = scaled_dot_product_attention(
      runtime, {none, {2, 0, 2, 1}}, {none, {2, 0, 3, 1}}, {none, {2, 0, 3, 1}}, mask);
  EXPECT_TRUE(result.output.empty());
}

TEST(ScaledDotProductAttention, RefusesShapesThatDoNotFit) {
  const Owned x = {std::vector<float>(12), {2, 3, 2}};
  EXPECT_EQ(message_of({{1, 2}, {2}}, x, x),
            "scaled_dot_product_attention: q is [2], expected two dimensions or more");
  EXPECT_EQ(message_of(x, {std::vector<float>(6), {3, 2}}, x),
            "scaled_dot_product_attention: k is [3, 2], expected [2, 3, 2] beside q of [2, 3, 2]");
  EXPECT_EQ(message_of(x, x, {std::vector<float>(8), {2, 2, 2}}),
            "scaled_dot_product_attention: v is [2, 2, 2], expected [2, 3, 2] beside k of [2, 3, "
            "2]");
  EXPECT_EQ(message_of({{1}, {2, 3, 2}}, x, x),
            "scaled_dot_product_attention: q has 1 cells, expected those of [2, 3, 2]");
  const std::vector<std::uint8_t> kept(4, 1);
  const KeepMask mask =
      KeepMask::of(MaskArray(std::span<const std::uint8_t>(kept), {1, 1, 1, 4}), {1, 1, 1, 4});
  EXPECT_EQ(message_of(x, x, x, mask),
            "scaled_dot_product_attention: the mask is [1, 1, 1, 4], expected [2, 1 or 1, 1 or 3, "
            "3] (KeepMask::broadcast makes one of any array that spreads)");
  const Shape leading = {2};
  EXPECT_THROW(
      KeepMask::broadcast(MaskArray(std::span<const std::uint8_t>(kept), {4}), leading, 3, 3),
      ShapeError);
}

}  // namespace
}  // namespace padless
