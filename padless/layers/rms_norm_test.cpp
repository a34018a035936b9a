#include "padless/layers/rms_norm.h"

#include <gtest/gtest.h>

#include <vector>

#include "padless/core/error.h"
#include "padless/reference/rms_norm.h"
#include "padless/testing/layer_subject.h"

namespace padless {
namespace {

using testing::flat;
using testing::Operands;

TEST(RmsNormLayer, KeepsTheContract) {
  constexpr std::size_t kWidth = 19;
  const RmsNorm prototype(kWidth);
  testing::Subject subject{.name = "RmsNorm",
                           .inputs = {{.name = "x", .cols = kWidth}},
                           .parameters = testing::parameters_of(prototype),
                           .outputs = {{.name = "y", .cols = kWidth}},
                           .run = [prototype](Runtime& runtime, const Pass& pass, const Segments&,
                                              const Operands<float>& o) {
                             RmsNorm layer = prototype;
                             testing::set_parameters(layer, o);
                             const Arena::Scope scope(runtime.arena());
                             RmsNorm::Saved saved;
                             layer.forward(runtime, pass, o.inputs[0], o.outputs[0], saved);
                             layer.backward(runtime, pass, o.d_outputs[0], o.inputs[0], saved,
                                            o.d_inputs[0]);
                             testing::get_gradients(layer, o);
                           }};
  subject.set_reference([epsilon = prototype.epsilon()]<class Real>(
                            const Pass& pass, const Segments& segs, const Operands<Real>& o) {
    const Shards shards = pass.shards != nullptr ? *pass.shards : Shards(segs.total());
    Matrix<Real> rstd(segs.total(), 1);
    reference::rms_norm_forward<Real>(o.inputs[0], flat(o.parameters[0]), Real(epsilon),
                                      o.outputs[0], rstd.cells());
    reference::rms_norm_backward_input<Real>(o.d_outputs[0], o.inputs[0], flat(o.parameters[0]),
                                             rstd.cells(), o.d_inputs[0]);
    reference::rms_norm_backward_weight<Real>(o.d_outputs[0], o.inputs[0], rstd.cells(), shards,
                                              flat(o.d_parameters[0]));
  });
  expect_contract(subject);
}

TEST(RmsNormLayer, BeginsWithScaleOne) {
  RmsNorm layer(2);
  layer.for_each_parameter([](const std::string& name, const Parameter& parameter) {
    EXPECT_EQ(name, "weight");
    EXPECT_EQ(parameter.value(0, 0), 1);
    EXPECT_EQ(parameter.value(0, 1), 1);
  });
}

TEST(RmsNormLayer, RefusesAWidthOfZeroAndAnEpsilonOfZero) {
  EXPECT_THROW(RmsNorm(0), ShapeError);
  EXPECT_THROW(RmsNorm(3, 0), ValueError);
}

}  // namespace
}  // namespace padless
