#include "padless/layers/multi_head_attention.h"

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "padless/batch/mask.h"
#include "padless/batch/pack.h"
#include "padless/core/error.h"
#include "padless/testing/bits.h"
#include "padless/testing/layer_subject.h"
#include "padless/testing/model_inputs.h"
#include "padless/testing/reference_layers.h"
#include "padless/testing/refusal.h"

namespace padless {
namespace {

using testing::Axis;
using testing::Operands;

constexpr std::uint32_t kOp = 7;

Segments lengths(const std::vector<std::size_t>& values) {
  return Segments::from_lengths(std::span(values));
}

void expect_kept(const std::string& name, const MultiHeadAttentionConfig& config, bool cross) {
  SCOPED_TRACE(name);
  Rng rng(1);
  const MultiHeadAttention prototype(config, rng);
  testing::Subject subject{.name = name,
                           .inputs = {{.name = "x", .cols = config.width}},
                           .parameters = testing::parameters_of(prototype),
                           .outputs = {{.name = "out", .cols = config.width}}};
  if (cross) {
    subject.inputs.push_back(
        {.name = "sources", .axis = Axis::source_rows, .cols = config.width_of_sources()});
  }
  subject.run = [prototype, cross](Runtime& runtime, const Pass& pass, const Segments& segs,
                                   const Operands<float>& o) {
    MultiHeadAttention layer = prototype;
    testing::set_parameters(layer, o);
    const Arena::Scope scope(runtime.arena());
    MultiHeadAttention::Saved saved;
    if (cross) {
      const PairPass pair = testing::pair_pass(pass, *o.sources, segs);
      const AttentionSources sources{pair.source_pass(), o.inputs[1], *o.sources};
      layer.forward(runtime, pass, kOp, o.inputs[0], segs, sources, o.outputs[0], saved);
      layer.backward(runtime, pass, kOp, o.d_outputs[0], o.inputs[0], segs, sources, saved,
                     o.d_inputs[0], o.d_inputs[1]);
    } else {
      layer.forward(runtime, pass, kOp, o.inputs[0], segs, o.outputs[0], saved);
      layer.backward(runtime, pass, kOp, o.d_outputs[0], o.inputs[0], segs, saved, o.d_inputs[0]);
    }
    testing::get_gradients(layer, o);
  };
  const std::vector<testing::Operand> names = subject.parameters;
  subject.set_reference([config, names, cross]<class Real>(const Pass& pass, const Segments& segs,
                                                           const Operands<Real>& o) {
    const testing::NamedParameters<Real> all(names, o);
    testing::ReferenceMultiHeadAttention<Real> layer{
        .all = all, .prefix = "", .config = config, .op = kOp};
    const Segments& keys = cross ? *o.sources : segs;
    const Matrix<Real> x = testing::copy(o.inputs[0]);
    const Matrix<Real> asked = testing::copy(o.inputs[cross ? 1 : 0]);
    testing::copy(layer.forward(pass, x, segs, asked, keys), o.outputs[0]);
    const PairPass pair = testing::pair_pass(pass, keys, segs);
    auto [d_x, d_sources] = layer.backward(pass, cross ? pair.source_pass() : pass,
                                           testing::copy(o.d_outputs[0]), segs, keys);
    if (cross) {
      testing::copy(d_sources, o.d_inputs[1]);
    } else {
      testing::add(d_sources, d_x);
    }
    testing::copy(d_x, o.d_inputs[0]);
  });
  expect_contract(subject);
}

TEST(MultiHeadAttention, KeepsTheContract) {
  expect_kept("self", {.width = 12, .heads = 3}, false);
  expect_kept("self, causal, shared key heads, ALiBi, dropout",
              {.width = 11,
               .heads = 4,
               .key_heads = 2,
               .head_width = 5,
               .attend = Attend::causal(Align::bottom_right),
               .alibi = true,
               .dropout = 0.25f},
              false);
  expect_kept("self, turned by places",
              {.width = 12,
               .heads = 4,
               .key_heads = 2,
               .head_width = 8,
               .rotary = std::make_shared<const RotaryTable>(70, 6, RotaryPairing::halves)},
              false);
  expect_kept("cross", {.width = 8, .source_width = 13, .heads = 2, .dropout = 0.25f}, true);
}

/// A layer and a batch for it.
struct Case {
  explicit Case(const MultiHeadAttentionConfig& config)
      : rng(4),
        layer(config, rng),
        segs(lengths({5, 0, 200, 1, 9})),
        x(rng.normal(segs.total(), config.width, 1)),
        out(segs.total(), config.width) {}

  void forward(Runtime& runtime, MultiHeadAttention::Saved& saved, const AttentionMask& mask = {}) {
    layer.forward(runtime, {}, kOp, std::as_const(x).view(), segs, out.view(), saved, mask);
  }

  Rng rng;
  MultiHeadAttention layer;
  Segments segs;
  Matrix<float> x, out;
};

const MultiHeadAttentionConfig kCausal = {
    .width = 12, .heads = 4, .key_heads = 2, .attend = Attend::causal(Align::bottom_right)};

TEST(MultiHeadAttention, PieceByPieceGivesTheBitsOfOnePass) {
  MultiHeadAttentionConfig config = kCausal;
  config.alibi = true;
  config.head_width = 4;
  config.rotary = std::make_shared<const RotaryTable>(200, 4, RotaryPairing::halves);
  Case c(config);
  testing::for_each_runtime([&](Runtime& runtime) {
    MultiHeadAttention::Saved saved;
    c.forward(runtime, saved);
    KeyValueCache cache = c.layer.cache(c.segs.count());
    // The rows that each sequence has still to give, in pieces of other sizes each time.
    std::vector<std::size_t> done(c.segs.count(), 0);
    for (std::size_t round = 0; cache.length(2) < 200; ++round) {
      std::vector<std::size_t> piece, at;
      for (std::size_t b = 0; b < c.segs.count(); ++b) {
        const std::size_t count = std::min(c.segs.length(b) - done[b], round * (b + 1) % 61);
        piece.push_back(count);
        for (std::size_t i = 0; i < count; ++i) at.push_back(c.segs[b].begin + done[b]++);
      }
      Matrix<float> x(at.size(), 12), out(at.size(), 12);
      for (std::size_t t = 0; t < at.size(); ++t) {
        std::ranges::copy(std::as_const(c.x).row(at[t]), x.row(t).begin());
      }
      c.layer.extend(runtime, {}, std::as_const(x).view(), lengths(piece), cache, out.view());
      for (std::size_t t = 0; t < at.size(); ++t) {
        testing::expect_same_bits(std::as_const(out).row(t), std::as_const(c.out).row(at[t]));
      }
    }
  });
}

// Some of what does not fit is found when the keys are in the cache.
TEST(MultiHeadAttention, WhatIsRefusedLeavesTheCacheAsItWas) {
  MultiHeadAttentionConfig unaligned = kCausal, turned = kCausal;
  unaligned.attend = Attend::causal();
  turned.head_width = 4;
  turned.rotary = std::make_shared<const RotaryTable>(4, 4, RotaryPairing::halves);
  for (const MultiHeadAttentionConfig& config : {unaligned, turned}) {
    Case c(config);
    Runtime runtime;
    KeyValueCache cache = c.layer.cache(1);
    const auto extend = [&](std::size_t count, std::size_t x_cols, std::size_t out_cols) {
      const Matrix<float> x(count, x_cols);
      Matrix<float> out(count, out_cols);
      c.layer.extend(runtime, {}, x.view(), lengths({count}), cache, out.view());
    };
    EXPECT_THROW(extend(3, 12, 11), ShapeError);
    EXPECT_THROW(extend(3, 13, 12), ShapeError);
    EXPECT_EQ(cache.length(0), 0u);
    extend(3, 12, 12);
    // More keys than queries without an alignment; more rows than the table has places.
    EXPECT_THROW(extend(2, 12, 12), Error);
    EXPECT_EQ(cache.length(0), 3u);
    EXPECT_EQ(cache.keys()[0].rows(), 3u);
  }
}

TEST(MultiHeadAttention, WeightsAreThoseOfTheForwardAndChangeNothing) {
  Case c(kCausal);
  Runtime runtime;
  MultiHeadAttention::Saved saved;
  c.forward(runtime, saved);
  const Matrix<float> before = c.out;
  std::vector<float> weights(attention_weights_begin(c.segs, c.segs, 4, c.segs.count()));
  c.layer.attention_weights(runtime, {}, c.segs, c.segs, saved, weights);
  c.forward(runtime, saved);
  testing::expect_same_bits(c.out.cells(), before.cells());
  // The weights times the values are what the heads attended to, up to rounding.
  std::size_t next = 0;
  for (std::size_t b = 0; b < c.segs.count(); ++b) {
    const std::size_t n = c.segs.length(b), first = c.segs[b].begin;
    for (std::size_t h = 0; h < 4; ++h) {
      for (std::size_t i = 0; i < n; ++i, next += n) {
        double sum = 0, attended = 0;
        for (std::size_t j = 0; j < n; ++j) {
          EXPECT_TRUE(j <= i || weights[next + j] == 0);
          sum += weights[next + j];
          attended += static_cast<double>(weights[next + j]) * saved.v(first + j, h / 2 * 3);
        }
        // Some two hundred roundings of numbers near 1.
        ASSERT_NEAR(sum, 1, 200 * 6e-8);
        ASSERT_NEAR(attended, saved.attended(first + i, h * 3), 200 * 6e-8);
      }
    }
  }
}

TEST(MultiHeadAttention, AMaskOfTheBatchIsHeard) {
  Case c({.width = 12, .heads = 2});
  Runtime runtime;
  MultiHeadAttention::Saved saved;
  const std::size_t keys = c.segs.longest();
  std::vector<std::uint8_t> cells(c.segs.count() * keys, 1);
  cells[2 * keys + 7] = 0;  // of the third sequence, no query sees key 7
  const KeepMask keep =
      KeepMask::of(MaskArray(std::span<const std::uint8_t>(cells), {c.segs.count(), 1, 1, keys}),
                   {c.segs.count(), 2, keys, keys});
  c.forward(runtime, saved, {.keep = &keep});
  const Matrix<float> masked = c.out;
  c.x(c.segs[2].begin + 7, 0) = 1e30f;
  c.forward(runtime, saved, {.keep = &keep});
  for (std::size_t t = 0; t < c.segs.total(); ++t) {
    if (t == c.segs[2].begin + 7) continue;
    testing::expect_same_bits(std::as_const(c.out).row(t), masked.row(t));
  }
}

/// Sequences of 3 and 6 rows in 9 slots, 1 = a row: pads on the left, on the right, among the rows.
const std::vector<std::vector<std::int64_t>> kPaddings = {
    {0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1, 1, 1, 1},
    {1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0, 0},
    {1, 0, 0, 0, 1, 0, 0, 1, 0, 1, 0, 1, 1, 0, 1, 1, 0, 1}};

TEST(MultiHeadAttention, TheSideOfThePaddingReachesNoBit) {
  const auto rotary = std::make_shared<const RotaryTable>(6, 4, RotaryPairing::halves);
  for (const Attend& attend : {Attend::full(), Attend::causal()}) {
    const MultiHeadAttentionConfig plain{.width = 8, .heads = 2, .attend = attend};
    MultiHeadAttentionConfig turned = plain, sloped = plain;
    turned.rotary = rotary;
    sloped.alibi = true;
    for (const MultiHeadAttentionConfig& config : {plain, turned, sloped}) {
      Rng rng(5);
      const MultiHeadAttention layer(config, rng);
      const Matrix<float> x = rng.normal(9, 8, 1);
      testing::for_each_runtime([&](Runtime& runtime) {
        const auto attended = [&](MatrixView<const float> rows, const Segments& segs) {
          Matrix<float> out(rows.rows(), 8);
          const Arena::Scope scope(runtime.arena());
          MultiHeadAttention::Saved saved;
          layer.forward(runtime, {}, kOp, rows, segs, out.view(), saved);
          return out;
        };
        const Matrix<float> first = attended(x.view().rows_at(0, 3), lengths({3}));
        const Matrix<float> second = attended(x.view().rows_at(3, 6), lengths({6}));
        for (const std::vector<std::int64_t>& kept : kPaddings) {
          const Packing packing(
              KeepMask::from_hf(MaskArray(std::span<const std::int64_t>(kept), {2, 9})));
          Matrix<float> padded(18, 8), rows(9, 8);
          fill(padded.view(), std::numeric_limits<float>::quiet_NaN());
          for (std::size_t slot = 0, t = 0; slot < kept.size(); ++slot) {
            if (kept[slot] == 1) std::ranges::copy(x.row(t++), padded.row(slot).begin());
          }
          pack(std::as_const(padded).view(), packing, rows.view());
          const Matrix<float> out = attended(std::as_const(rows).view(), packing.segments());
          testing::expect_same_bits(out.cells().first(first.cells().size()), first.cells());
          testing::expect_same_bits(out.cells().subspan(first.cells().size()), second.cells());
        }
      });
    }
  }
}

/// What a layer gives and its gradients, one behind the other.
std::vector<float> all_of(MultiHeadAttention layer, const Pass& pass, const Segments& segs,
                          MatrixView<const float> x, const AttentionMask& mask) {
  Runtime runtime;
  Matrix<float> out(x.rows(), x.cols()), d_x = out;
  std::vector<float> weights(
      attention_weights_begin(segs, segs, layer.config().heads, segs.count()));
  MultiHeadAttention::Saved saved;
  layer.forward(runtime, pass, kOp, x, segs, out.view(), saved, mask);
  layer.attention_weights(runtime, pass, segs, segs, saved, weights, mask);
  layer.backward(runtime, pass, kOp, x, x, segs, saved, d_x.view(), mask);
  std::vector<float> all(out.cells().begin(), out.cells().end());
  all.insert(all.end(), weights.begin(), weights.end());
  all.insert(all.end(), d_x.cells().begin(), d_x.cells().end());
  layer.for_each_parameter([&all](const std::string&, Parameter& parameter) {
    const auto cells = parameter.gradient.cells();
    all.insert(all.end(), cells.begin(), cells.end());
  });
  return all;
}

// One sequence, two of a length (where nobody needs a mask), and the same beside a longer one.
TEST(MultiHeadAttention, AMaskOfOnesIsNoMask) {
  for (const std::vector<std::size_t>& sizes :
       {std::vector<std::size_t>{3}, {3, 3}, {3, 3, 130}, {3, 0, 1}}) {
    const Segments segs = lengths(sizes);
    const std::size_t keys = segs.longest();
    const std::vector<std::uint8_t> ones(segs.count() * keys, 1);
    const KeepMask keep =
        KeepMask::of(MaskArray(std::span<const std::uint8_t>(ones), {segs.count(), 1, 1, keys}),
                     {segs.count(), 4, keys, keys});
    for (const Attend& attend : {Attend::full(), Attend::causal()}) {
      Rng rng(6);
      const MultiHeadAttention layer({.width = 12, .heads = 4, .attend = attend}, rng);
      const Matrix<float> x = rng.normal(segs.total(), 12, 1);
      const std::vector<float> expected = all_of(layer, {}, segs, x.view(), {});
      testing::expect_same_bits(all_of(layer, {}, segs, x.view(), {.keep = &keep}), expected);
      // Training drops nothing here.
      testing::expect_same_bits(all_of(layer, {.training = true}, segs, x.view(), {.keep = &keep}),
                                expected);
    }
  }
}

// Scores of 0 and values that are the numbers themselves: each row is the mean of those so far.
TEST(MultiHeadAttention, IsCausalWithoutPaddingToo) {
  Rng rng(1);
  MultiHeadAttention layer({.width = 1, .attend = Attend::causal()}, rng);
  layer.for_each_parameter([](const std::string& name, Parameter& parameter) {
    fill(parameter.value.view(), name == "value.weight" || name == "output.weight" ? 1.0f : 0.0f);
    ++parameter.version;
  });
  const std::vector<float> x = {1, 2, 3, 4, 5, 6};
  testing::for_each_runtime([&](Runtime& runtime) {
    std::vector<float> out(6);
    MultiHeadAttention::Saved saved;
    layer.forward(runtime, {}, kOp, {x.data(), 6, 1}, lengths({3, 3}), {out.data(), 6, 1}, saved);
    const std::vector<float> expected = {1, 1.5f, 2, 4, 4.5f, 5};
    // A third is rounded.
    for (std::size_t t = 0; t < 6; ++t) EXPECT_NEAR(out[t], expected[t], 5 * 1.2e-7);
  });
}

TEST(MultiHeadAttentionConfig, CountsItsParameters) {
  const MultiHeadAttentionConfig config{
      .width = 8, .source_width = 13, .heads = 4, .key_heads = 2, .head_width = 3};
  Rng rng(1);
  MultiHeadAttention layer(config, rng);
  std::size_t count = 0;
  layer.for_each_parameter([&count](const std::string&, Parameter& parameter) {
    count += parameter.value.cells().size();
  });
  EXPECT_EQ(static_cast<double>(count), config.parameters());
}

TEST(MultiHeadAttentionConfig, RefusesSizesThatMakeNoLayer) {
  const auto message = [](const MultiHeadAttentionConfig& config) {
    return testing::refusal<ValueError>([&config] { config.check(); });
  };
  EXPECT_EQ(message({.width = 12, .heads = 3}), "nothing was thrown");
  EXPECT_EQ(message({.width = 0, .heads = 3}),
            "MultiHeadAttention: width is 0, expected 1 to 16777216");
  EXPECT_EQ(message({.width = 12, .heads = 5}),
            "MultiHeadAttention: width is 12, expected a multiple of heads, 5, or a head_width "
            "beside it");
  EXPECT_EQ(message({.width = 12, .heads = 4, .key_heads = 3}),
            "MultiHeadAttention: key_heads is 3, expected a divisor of heads, 4");
  EXPECT_EQ(message({.width = 12, .heads = 4, .dropout = 1}),
            "MultiHeadAttention: dropout is 1, expected 0 to 65535/65536");
}

}  // namespace
}  // namespace padless
