#include "padless/layers/feed_forward.h"

#include <gtest/gtest.h>

#include <string>

#include "padless/core/error.h"
#include "padless/testing/layer_subject.h"
#include "padless/testing/reference_layers.h"

namespace padless {
namespace {

using testing::Operands;

constexpr std::size_t kWidth = 11, kHidden = 21;

FeedForwardConfig small(Activation activation, bool gated, float dropout) {
  return {.width = kWidth,
          .hidden = kHidden,
          .activation = activation,
          .gated = gated,
          .dropout = dropout};
}

void expect_kept(const std::string& name, const FeedForwardConfig& config) {
  SCOPED_TRACE(name);
  Rng rng(1);
  const FeedForward prototype(config, rng);
  testing::Subject subject{.name = name,
                           .inputs = {{.name = "x", .cols = kWidth}},
                           .parameters = testing::parameters_of(prototype),
                           .outputs = {{.name = "out", .cols = kWidth}},
                           .run = [prototype](Runtime& runtime, const Pass& pass,
                                              const Segments& /*segs*/, const Operands<float>& o) {
                             FeedForward layer = prototype;
                             testing::set_parameters(layer, o);
                             const Arena::Scope scope(runtime.arena());
                             FeedForward::Saved saved;
                             layer.forward(runtime, pass, 3, o.inputs[0], o.outputs[0], saved);
                             layer.backward(runtime, pass, 3, o.d_outputs[0], o.inputs[0], saved,
                                            o.d_inputs[0]);
                             testing::get_gradients(layer, o);
                           }};
  const std::vector<testing::Operand> names = subject.parameters;
  subject.set_reference([config, names]<class Real>(const Pass& pass, const Segments&,
                                                    const Operands<Real>& o) {
    const testing::NamedParameters<Real> all(names, o);
    testing::ReferenceFeedForward<Real> layer{.all = all, .prefix = "", .config = config, .op = 3};
    testing::copy(layer.forward(pass, testing::copy(o.inputs[0])), o.outputs[0]);
    testing::copy(layer.backward(pass, testing::copy(o.d_outputs[0])), o.d_inputs[0]);
  });
  expect_contract(subject);
}

TEST(FeedForward, KeepsTheContract) {
  expect_kept("gelu", small(Activation::gelu, false, 0));
  expect_kept("silu, gated", small(Activation::silu, true, 0));
  expect_kept("gelu, gated, dropout", small(Activation::gelu, true, 0.25f));
}

TEST(FeedForward, CountsItsParameters) {
  for (const bool gated : {false, true}) {
    const FeedForwardConfig config = small(Activation::relu, gated, 0);
    Rng rng(1);
    FeedForward layer(config, rng);
    std::size_t count = 0;
    layer.for_each_parameter([&count](const std::string&, Parameter& parameter) {
      count += parameter.value.cells().size();
    });
    EXPECT_EQ(static_cast<double>(count), config.parameters());
  }
}

TEST(FeedForward, RefusesSizesThatMakeNoLayer) {
  EXPECT_THROW((FeedForwardConfig{.width = 0, .hidden = 1}.check()), ValueError);
  EXPECT_THROW((FeedForwardConfig{.width = 1, .hidden = 0}.check()), ValueError);
  EXPECT_THROW((FeedForwardConfig{.width = 1, .hidden = 1, .dropout = 1}.check()), ValueError);
}

}  // namespace
}  // namespace padless
