#include "padless/layers/layer_norm.h"

#include <gtest/gtest.h>

#include <vector>

#include "padless/core/error.h"
#include "padless/reference/layer_norm.h"
#include "padless/testing/layer_subject.h"

namespace padless {
namespace {

using testing::flat;
using testing::Operands;

TEST(LayerNormLayer, KeepsTheContract) {
  constexpr std::size_t kWidth = 19;
  const LayerNorm prototype(kWidth);
  testing::Subject subject{.name = "LayerNorm",
                           .inputs = {{.name = "x", .cols = kWidth}},
                           .parameters = testing::parameters_of(prototype),
                           .outputs = {{.name = "y", .cols = kWidth}},
                           .run = [prototype](Runtime& runtime, const Pass& pass, const Segments&,
                                              const Operands<float>& o) {
                             LayerNorm layer = prototype;
                             testing::set_parameters(layer, o);
                             const Arena::Scope scope(runtime.arena());
                             LayerNorm::Saved saved;
                             layer.forward(runtime, pass, o.inputs[0], o.outputs[0], saved);
                             layer.backward(runtime, pass, o.d_outputs[0], o.inputs[0], saved,
                                            o.d_inputs[0]);
                             testing::get_gradients(layer, o);
                           }};
  subject.set_reference([epsilon = prototype.epsilon()]<class Real>(
                            const Pass& pass, const Segments& segs, const Operands<Real>& o) {
    const Shards shards = pass.shards != nullptr ? *pass.shards : Shards(segs.total());
    Matrix<Real> mean(segs.total(), 1), rstd(segs.total(), 1);
    reference::layer_norm_forward<Real>(o.inputs[0], flat(o.parameters[0]), flat(o.parameters[1]),
                                        Real(epsilon), o.outputs[0], mean.cells(), rstd.cells());
    reference::layer_norm_backward_input<Real>(o.d_outputs[0], o.inputs[0], flat(o.parameters[0]),
                                               mean.cells(), rstd.cells(), o.d_inputs[0]);
    reference::layer_norm_backward_weight<Real>(o.d_outputs[0], o.inputs[0], mean.cells(),
                                                rstd.cells(), shards, flat(o.d_parameters[0]),
                                                flat(o.d_parameters[1]));
  });
  expect_contract(subject);
}

TEST(LayerNormLayer, BeginsWithScaleOneAndShiftZero) {
  LayerNorm layer(3);
  std::vector<std::string> names;
  std::vector<float> values;
  layer.for_each_parameter([&](const char* name, const Parameter& parameter) {
    names.emplace_back(name);
    values.insert(values.end(), parameter.value.cells().begin(), parameter.value.cells().end());
  });
  EXPECT_EQ(names, (std::vector<std::string>{"weight", "bias"}));
  EXPECT_EQ(values, (std::vector<float>{1, 1, 1, 0, 0, 0}));
}

TEST(LayerNormLayer, RefusesAWidthOfZeroAndAnEpsilonOfZero) {
  EXPECT_THROW(LayerNorm(0), ShapeError);
  EXPECT_THROW(LayerNorm(3, 0), ValueError);
}

}  // namespace
}  // namespace padless
