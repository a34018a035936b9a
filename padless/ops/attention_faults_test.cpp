// Small inputs on which attention elsewhere went wrong, with the right numbers: rows without a key,
// what masked slots hold, fill constants, masks read the wrong way round, bounds counted from a
// padded width.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "padless/ops/attention.h"
#include "padless/ops/scaled_dot_product_attention.h"
#include "padless/testing/bits.h"
#include "padless/testing/contract.h"

namespace padless {
namespace {

using Shape = std::vector<std::size_t>;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct Owned {
  std::vector<float> cells;
  Shape shape;

  FloatArray view() const { return {cells, shape}; }
};

// Within two units in the last place of the largest number that is added up here, 5.
void expect_near(std::span<const float> found, const std::vector<double>& expected) {
  constexpr double kWithin = 2 * 0x1p-21;
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], kWithin) << i;
}

KeepMask keep_of(const std::vector<std::uint8_t>& cells, const Shape& shape, const Shape& leading,
                 std::size_t queries, std::size_t keys) {
  return KeepMask::broadcast(MaskArray(std::span<const std::uint8_t>(cells), shape), leading,
                             queries, keys);
}

/// Attention of one query of 1 against keys that are its scores.
PaddedAttention of_scores(Runtime& runtime, const std::vector<float>& scores,
                          const std::vector<std::uint8_t>& kept) {
  const std::size_t n = scores.size();
  const Owned q = {{1}, {1, 1}}, k = {scores, {n, 1}}, v = {std::vector<float>(n, 1), {n, 1}};
  return scaled_dot_product_attention(runtime, q.view(), k.view(), v.view(),
                                      keep_of(kept, {n}, {}, 1, n), 1.0f);
}

TEST(AttentionFaults, AQueryWithoutAKeyReachesNothing) {
  const AttentionSizes sizes{1, 1, 2, 2};
  const std::vector<std::uint8_t> kept = {1, 1, 0, 0};
  const KeepMask keep =
      KeepMask::of(MaskArray(std::span<const std::uint8_t>(kept), {1, 1, 2, 2}), sizes);
  const AttentionOptions options{.scale = 1.0f, .keep = &keep};
  const Segments segs = Segments::from_lengths(Shape{2});
  const std::vector<float> q = {1, 1}, k = {1, 2}, v = {3, 5}, d_out = {1, 1};
  testing::for_each_runtime([&](Runtime& runtime) {
    std::vector<float> out(2), top(2), sum(2), d_q(2), d_k(2), d_v(2), weights(4);
    const AttentionStats stats{{top.data(), 2, 1}, {sum.data(), 2, 1}};
    const MatrixView<const float> queries(q.data(), 2, 1), keys(k.data(), 2, 1),
        values(v.data(), 2, 1);
    attention_forward(runtime, {}, options, queries, segs, keys, values, segs, {out.data(), 2, 1},
                      stats);
    attention_weights(runtime, {}, options, queries, segs, keys, segs, stats, weights);
    attention_backward(runtime, {}, options, {d_out.data(), 2, 1}, queries, segs, keys, values,
                       segs, {out.data(), 2, 1}, stats,
                       {{d_q.data(), 2, 1}, {d_k.data(), 2, 1}, {d_v.data(), 2, 1}});
    expect_near(weights, {0.26894142137, 0.73105857863, 0, 0});
    expect_near(out, {4.46211715726, 0});
    expect_near(d_q, {0.393223866483, 0});
    expect_near(d_k, {-0.393223866483, 0.393223866483});
    expect_near(d_v, {0.26894142137, 0.73105857863});
  });
}

TEST(AttentionFaults, MaskedKeysAndValuesAreNeverRead) {
  const AttentionSizes sizes{1, 1, 1, 2};
  const std::vector<std::uint8_t> kept = {1, 0};
  const KeepMask keep =
      KeepMask::of(MaskArray(std::span<const std::uint8_t>(kept), {1, 1, 1, 2}), sizes);
  const AttentionOptions options{.scale = 1.0f, .keep = &keep};
  const Segments one = Segments::from_lengths(Shape{1}), two = Segments::from_lengths(Shape{2});
  const std::vector<float> q = {1, 0}, k = {1, 0, kNan, kInfinity}, v = {2, 3, kNan, -kInfinity},
                           d_out = {1, 1};
  testing::for_each_runtime([&](Runtime& runtime) {
    std::vector<float> out(2), top(1), sum(1), d_q(2), d_k(4), d_v(4);
    const AttentionStats stats{{top.data(), 1, 1}, {sum.data(), 1, 1}};
    attention_forward(runtime, {}, options, {q.data(), 1, 2}, one, {k.data(), 2, 2},
                      {v.data(), 2, 2}, two, {out.data(), 1, 2}, stats);
    attention_backward(runtime, {}, options, {d_out.data(), 1, 2}, {q.data(), 1, 2}, one,
                       {k.data(), 2, 2}, {v.data(), 2, 2}, two, {out.data(), 1, 2}, stats,
                       {{d_q.data(), 1, 2}, {d_k.data(), 2, 2}, {d_v.data(), 2, 2}});
    testing::expect_same_bits(out, std::vector<float>{2, 3});
    testing::expect_same_bits(std::span(d_k).last(2), std::vector<float>{0, 0});
    testing::expect_same_bits(std::span(d_v).last(2), std::vector<float>{0, 0});
    testing::expect_same_bits(d_q, std::vector<float>{0, 0});
  });
}

TEST(AttentionFaults, ScoresFarBelowEveryFillConstantWeighAsTheyShould) {
  testing::for_each_runtime([](Runtime& runtime) {
    expect_near(of_scores(runtime, {-120000, -120001, 0}, {1, 1, 0}).weights,
                {0.73105857863, 0.26894142137, 0});
    expect_near(of_scores(runtime, {5, 4, -40}, {1, 1, 0}).weights,
                {0.73105857863, 0.26894142137, 0});
    expect_near(of_scores(runtime, {-20, -40}, {0, 0}).weights, {0, 0});
  });
}

TEST(AttentionFaults, AMaskedScoreIsNoScoreNearZero) {
  testing::for_each_runtime([](Runtime& runtime) {
    expect_near(of_scores(runtime, {1, 1, 5}, {1, 1, 0}).weights, {0.5, 0.5, 0});
  });
}

TEST(AttentionFaults, AMaskWithAHoleIsNoLength) {
  testing::for_each_runtime([](Runtime& runtime) {
    expect_near(of_scores(runtime, {1, 2, 3, 4}, {1, 0, 1, 1}).weights,
                {0.035119026959, 0, 0.259496460342, 0.705384512698});
  });
}

TEST(AttentionFaults, SevenDialectsOfOneMaskGiveOneResult) {
  const std::vector<std::int64_t> lengths = {3, 1}, offsets = {0, 3, 4}, hf = {1, 1, 1, 1, 0, 0};
  const std::vector<std::uint8_t> keep = {1, 1, 1, 1, 0, 0}, pad = {0, 0, 0, 0, 1, 1};
  const std::vector<float> additive = {0, 0, 0, 0, -kInfinity, -kInfinity};
  const AttentionSizes sizes{2, 1, 1, 3};
  using Bytes = std::span<const std::uint8_t>;
  using Wide = std::span<const std::int64_t>;
  const std::vector<KeepMask> masks = {
      KeepMask::from_lengths(MaskArray(Wide(lengths), {2}), 3),
      KeepMask::from_cu_seqlens(MaskArray(Wide(offsets), {3}), 3),
      KeepMask::from_hf(MaskArray(Wide(hf), {2, 3})),
      KeepMask::from_keras(MaskArray(Bytes(keep), {2, 3})),
      KeepMask::from_torch_padding(MaskArray(Bytes(pad), {2, 3})),
      KeepMask::from_sdpa(MaskArray(Bytes(keep), {2, 1, 1, 3}), sizes),
      AdditiveMask::from_additive(MaskArray(std::span<const float>(additive), {2, 1, 1, 3}), sizes)
          .keep};
  const Owned q = {{1, 1}, {2, 1, 1, 1}}, k = {{1, 2, 3, 1, 2, 3}, {2, 1, 3, 1}};
  testing::for_each_runtime([&](Runtime& runtime) {
    for (const KeepMask& mask : masks) {
      EXPECT_EQ(mask, masks[0]);
      const PaddedAttention result =
          scaled_dot_product_attention(runtime, q.view(), k.view(), k.view(), mask, 1.0f);
      expect_near(result.weights, {0.09003057317, 0.244728471055, 0.665240955775, 1, 0, 0});
    }
  });
}

// [B * H, L, S] masks tiled in another order than the heads' gave each sample another's mask.
TEST(AttentionFaults, HeadsOfASampleHaveItsMask) {
  const std::vector<std::uint8_t> kept = {1, 1, 0, 1, 0, 0};
  const KeepMask mask = keep_of(kept, {2, 1, 1, 3}, {2, 2}, 1, 3);
  const Owned q = {std::vector<float>(4), {2, 2, 1, 1}}, k = {std::vector<float>(12), {2, 2, 3, 1}},
              v = {{1, 2, 99, 1, 2, 99, 5, 77, 88, 5, 77, 88}, {2, 2, 3, 1}};
  testing::for_each_runtime([&](Runtime& runtime) {
    expect_near(scaled_dot_product_attention(runtime, q.view(), k.view(), v.view(), mask).output,
                {1.5, 1.5, 5, 5});
  });
}

// With B = L = S a bare 3 x 3 mask has two readings; named, each has one.
TEST(AttentionFaults, KeysOfSamplesAndKeysOfQueriesAreTwoMasks) {
  const std::vector<std::uint8_t> by_sample = {1, 1, 1, 1, 1, 0, 1, 0, 0},
                                  by_query = {1, 0, 0, 1, 1, 0, 1, 1, 1};
  const Owned x = {std::vector<float>(9), {3, 3, 1}};
  testing::for_each_runtime([&](Runtime& runtime) {
    const auto weights = [&](const KeepMask& mask) {
      return scaled_dot_product_attention(runtime, x.view(), x.view(), x.view(), mask).weights;
    };
    const auto samples = weights(keep_of(by_sample, {3, 1, 3}, {3}, 3, 3));
    const auto queries = weights(keep_of(by_query, {1, 3, 3}, {3}, 3, 3));
    for (std::size_t n = 0; n < 3; ++n) {
      for (std::size_t i = 0; i < 3; ++i) {
        const auto row = [&](const std::vector<float>& all) {
          return std::span(all).subspan((n * 3 + i) * 3, 3);
        };
        const std::vector<std::vector<double>> of_sample = {
            {1 / 3., 1 / 3., 1 / 3.}, {.5, .5, 0}, {1, 0, 0}};
        const std::vector<std::vector<double>> of_query = {
            {1, 0, 0}, {.5, .5, 0}, {1 / 3., 1 / 3., 1 / 3.}};
        expect_near(row(samples), of_sample[n]);
        expect_near(row(queries), of_query[i]);
      }
    }
  });
}

// A product too small for a float is -0 where one factor is negative; a key's distance, 0 too, is
// added to it.
TEST(AttentionFaults, AScoreOfMinusZeroIsOneZeroEverywhere) {
  const Segments one = Segments::from_lengths(Shape{1});
  const std::vector<float> q = {1e-30f}, k = {-1e-30f}, v = {2}, slopes = {0.5f};
  const AttentionOptions options{.scale = 1.0f, .alibi_slopes = slopes};
  testing::for_each_runtime([&](Runtime& runtime) {
    std::vector<float> out(1), top(1), sum(1);
    attention_forward(runtime, {}, options, {q.data(), 1, 1}, one, {k.data(), 1, 1},
                      {v.data(), 1, 1}, one, {out.data(), 1, 1},
                      {{top.data(), 1, 1}, {sum.data(), 1, 1}});
    testing::expect_same_bits(top, std::vector<float>{0});
    testing::expect_same_bits(out, v);
  });
}

std::vector<float> causal_means(Runtime& runtime, const std::vector<std::size_t>& query_lengths,
                                const std::vector<std::size_t>& key_lengths,
                                const std::vector<float>& v, Align align) {
  const Segments queries = Segments::from_lengths(query_lengths);
  const Segments keys = Segments::from_lengths(key_lengths);
  const std::vector<float> q(queries.total()), k(keys.total());
  std::vector<float> out(q.size()), top(q.size()), sum(q.size());
  attention_forward(runtime, {}, {.attend = Attend::causal(align)}, {q.data(), q.size(), 1},
                    queries, {k.data(), k.size(), 1}, {v.data(), v.size(), 1}, keys,
                    {out.data(), q.size(), 1},
                    {{top.data(), q.size(), 1}, {sum.data(), q.size(), 1}});
  return out;
}

TEST(AttentionFaults, CausalBoundsAreAlignedToTheOwnLengthNotToThePaddedWidth) {
  testing::for_each_runtime([](Runtime& runtime) {
    const std::vector<float> v = {1, 2, 3, 4, 5, 1, 2, 3};
    expect_near(causal_means(runtime, {2, 2}, {5, 3}, v, Align::bottom_right), {2.5, 3, 1.5, 2});
    expect_near(causal_means(runtime, {2, 2}, {5, 3}, v, Align::top_left), {1, 1.5, 1, 1.5});
    expect_near(causal_means(runtime, {3}, {2}, {1, 2}, Align::bottom_right), {0, 1, 1.5});
    expect_near(causal_means(runtime, {3}, {2}, {1, 2}, Align::top_left), {1, 1.5, 1.5});
  });
}

// Where nothing was padded, a shortcut that skips the mask also skipped the causal one.
TEST(AttentionFaults, CausalStaysCausalWithoutPadding) {
  testing::for_each_runtime([](Runtime& runtime) {
    const auto pair = causal_means(runtime, {3, 3}, {3, 3}, {1, 2, 3, 4, 5, 6}, Align::top_left);
    expect_near(pair, {1, 1.5, 2, 4, 4.5, 5});
    const auto with_a_longer = causal_means(runtime, {3, 3, 4}, {3, 3, 4},
                                            {1, 2, 3, 4, 5, 6, 9, 9, 9, 9}, Align::top_left);
    testing::expect_same_bits(std::span(with_a_longer).first(6), pair);
    const auto alone = causal_means(runtime, {3}, {3}, {1, 2, 3}, Align::top_left);
    testing::expect_same_bits(alone, std::span(pair).first(3));
  });
}

}  // namespace
}  // namespace padless
