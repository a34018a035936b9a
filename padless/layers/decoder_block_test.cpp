#include "padless/layers/decoder_block.h"

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "padless/core/error.h"
#include "padless/testing/bits.h"
#include "padless/testing/layer_subject.h"
#include "padless/testing/model_inputs.h"
#include "padless/testing/reference_layers.h"

namespace padless {
namespace {

using testing::Axis;
using testing::Operands;

constexpr std::size_t kWidth = 12;
constexpr std::uint32_t kOp = 7;

BlockConfig small(NormKind norm, NormPlace place, float dropout = 0) {
  return {.width = kWidth,
          .heads = 4,
          .key_heads = 2,
          .feed_forward = 17,
          .norm = norm,
          .norm_place = place,
          .dropout = dropout};
}

void expect_kept(const std::string& name, const BlockConfig& config) {
  SCOPED_TRACE(name);
  Rng rng(1);
  const DecoderBlock prototype(config, rng);
  testing::Subject subject{
      .name = name,
      .inputs = {{.name = "x", .cols = kWidth},
                 {.name = "sources", .axis = Axis::source_rows, .cols = kWidth}},
      .parameters = testing::parameters_of(prototype),
      .outputs = {{.name = "out", .cols = kWidth}},
      .run = [prototype](Runtime& runtime, const Pass& pass, const Segments& segs,
                         const Operands<float>& o) {
        DecoderBlock block = prototype;
        testing::set_parameters(block, o);
        const Arena::Scope scope(runtime.arena());
        const PairPass pair = testing::pair_pass(pass, *o.sources, segs);
        const AttentionSources sources{pair.source_pass(), o.inputs[1], *o.sources};
        DecoderBlock::Saved saved;
        block.forward(runtime, pass, kOp, o.inputs[0], segs, sources, o.outputs[0], saved);
        block.backward(runtime, pass, kOp, o.d_outputs[0], o.inputs[0], segs, sources, saved,
                       o.d_inputs[0], o.d_inputs[1]);
        testing::get_gradients(block, o);
      }};
  const std::vector<testing::Operand> names = subject.parameters;
  subject.set_reference([config, names]<class Real>(const Pass& pass, const Segments& segs,
                                                    const Operands<Real>& o) {
    const testing::NamedParameters<Real> all(names, o);
    testing::ReferenceDecoderBlock<Real> block(all, "", config, Attend::causal(Align::bottom_right),
                                               kOp);
    testing::copy(block.forward(pass, testing::copy(o.inputs[0]), segs, testing::copy(o.inputs[1]),
                                *o.sources),
                  o.outputs[0]);
    const PairPass pair = testing::pair_pass(pass, *o.sources, segs);
    const auto [d_x, d_sources] =
        block.backward(pass, pair.source_pass(), testing::copy(o.d_outputs[0]), segs, *o.sources);
    testing::copy(d_x, o.d_inputs[0]);
    testing::copy(d_sources, o.d_inputs[1]);
  });
  expect_contract(subject);
}

TEST(DecoderBlock, KeepsTheContract) {
  expect_kept("layer norm, pre", small(NormKind::layer, NormPlace::pre));
  expect_kept("RMS norm, post, dropout", small(NormKind::rms, NormPlace::post, 0.25f));
}

// The block's own rows are in the cache when the sources are looked at.
TEST(DecoderBlock, WhatIsRefusedLeavesTheCacheAsItWas) {
  for (const NormPlace place : {NormPlace::pre, NormPlace::post}) {
    Rng rng(1);
    const DecoderBlock block(small(NormKind::layer, place), rng);
    Runtime runtime;
    const MultiHeadAttention& cross = block.cross_attention();
    const Matrix<float> x = rng.normal(2, kWidth, 1), keys = rng.normal(3, cross.key_cols(), 1);
    const std::vector<MatrixView<const float>> one = {keys.view()};
    const Segments segs = Segments::from_lengths(std::vector<std::size_t>{2});
    KeyValueCache cache = block.self_attention().cache(1);
    const auto extend = [&](std::span<const MatrixView<const float>> sources, std::size_t cols) {
      Matrix<float> out(2, cols);
      block.extend(runtime, {}, x.view(), segs, cache, sources, sources, out.view());
    };
    extend(one, kWidth);
    EXPECT_THROW(extend({}, kWidth), ShapeError);
    EXPECT_THROW(extend(one, kWidth + 1), ShapeError);
    EXPECT_EQ(cache.length(0), 2u);
    extend(one, kWidth);
    EXPECT_EQ(cache.length(0), 4u);
  }
}

TEST(DecoderBlock, CountsItsParameters) {
  const BlockConfig config = small(NormKind::layer, NormPlace::pre);
  Rng rng(1);
  DecoderBlock block(config, rng);
  std::size_t count = 0;
  block.for_each_parameter([&count](const std::string&, Parameter& parameter) {
    count += parameter.value.cells().size();
  });
  EXPECT_EQ(static_cast<double>(count), DecoderBlock::parameters(config));
}

}  // namespace
}  // namespace padless
