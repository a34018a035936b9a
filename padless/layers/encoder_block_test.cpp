#include "padless/layers/encoder_block.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "padless/testing/bits.h"
#include "padless/testing/layer_subject.h"
#include "padless/testing/reference_layers.h"

namespace padless {
namespace {

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
  const EncoderBlock prototype(config, rng);
  testing::Subject subject{
      .name = name,
      .inputs = {{.name = "x", .cols = kWidth}},
      .parameters = testing::parameters_of(prototype),
      .outputs = {{.name = "out", .cols = kWidth}},
      .run = [prototype](Runtime& runtime, const Pass& pass, const Segments& segs,
                         const Operands<float>& o) {
        EncoderBlock block = prototype;
        testing::set_parameters(block, o);
        const Arena::Scope scope(runtime.arena());
        EncoderBlock::Saved saved;
        block.forward(runtime, pass, kOp, o.inputs[0], segs, o.outputs[0], saved);
        block.backward(runtime, pass, kOp, o.d_outputs[0], o.inputs[0], segs, saved, o.d_inputs[0]);
        testing::get_gradients(block, o);
      }};
  const std::vector<testing::Operand> names = subject.parameters;
  subject.set_reference(
      [config, names]<class Real>(const Pass& pass, const Segments& segs, const Operands<Real>& o) {
        const testing::NamedParameters<Real> all(names, o);
        testing::ReferenceEncoderBlock<Real> block(all, "", config, kOp);
        testing::copy(block.forward(pass, testing::copy(o.inputs[0]), segs), o.outputs[0]);
        testing::copy(block.backward(pass, testing::copy(o.d_outputs[0]), segs), o.d_inputs[0]);
      });
  expect_contract(subject);
}

TEST(EncoderBlock, KeepsTheContract) {
  expect_kept("layer norm, pre", small(NormKind::layer, NormPlace::pre));
  expect_kept("layer norm, post", small(NormKind::layer, NormPlace::post));
  BlockConfig modern = small(NormKind::rms, NormPlace::pre, 0.25f);
  modern.gated = true;
  modern.alibi = true;
  expect_kept("RMS norm, pre, gated, ALiBi, dropout", modern);
}

// A block below which nothing is trained: its parameters' gradients are the same.
TEST(EncoderBlock, LeavesOutTheGradientThatNobodyWants) {
  for (const NormPlace place : {NormPlace::pre, NormPlace::post}) {
    Rng rng(2);
    EncoderBlock block(small(NormKind::layer, place), rng);
    const std::vector<std::size_t> lengths = {5, 0, 9};
    const Segments segs = Segments::from_lengths(std::span(lengths));
    const Matrix<float> x = rng.normal(segs.total(), kWidth, 1);
    const Matrix<float> d_out = rng.normal(segs.total(), kWidth, 1);
    const auto gradients = [&](MatrixView<float> d_x) {
      EncoderBlock trained = block;
      Runtime runtime;
      Matrix<float> out(segs.total(), kWidth);
      EncoderBlock::Saved saved;
      trained.forward(runtime, {}, kOp, x.view(), segs, out.view(), saved);
      trained.backward(runtime, {}, kOp, d_out.view(), x.view(), segs, saved, d_x);
      std::vector<float> all;
      trained.for_each_parameter([&all](const std::string&, Parameter& parameter) {
        const auto cells = parameter.gradient.cells();
        all.insert(all.end(), cells.begin(), cells.end());
      });
      return all;
    };
    Matrix<float> d_x(segs.total(), kWidth);
    testing::expect_same_bits(gradients({}), gradients(d_x.view()));
  }
}

TEST(EncoderBlock, CountsItsParameters) {
  for (const NormKind norm : {NormKind::layer, NormKind::rms}) {
    const BlockConfig config = small(norm, NormPlace::pre);
    Rng rng(1);
    EncoderBlock block(config, rng);
    std::size_t count = 0;
    block.for_each_parameter([&count](const std::string&, Parameter& parameter) {
      count += parameter.value.cells().size();
    });
    EXPECT_EQ(static_cast<double>(count), EncoderBlock::parameters(config));
  }
}

}  // namespace
}  // namespace padless
