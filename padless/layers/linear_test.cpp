#include "padless/layers/linear.h"

#include <gtest/gtest.h>

#include "padless/reference/linear.h"
#include "padless/testing/layer_subject.h"

namespace padless {
namespace {

using testing::flat;
using testing::Operands;

TEST(LinearLayer, KeepsTheContract) {
  Rng rng(1);
  const Linear prototype(7, 19, rng);
  testing::Subject subject{.name = "Linear",
                           .inputs = {{.name = "x", .cols = 7}},
                           .parameters = testing::parameters_of(prototype),
                           .outputs = {{.name = "y", .cols = 19}},
                           .run = [prototype](Runtime& runtime, const Pass& pass, const Segments&,
                                              const Operands<float>& o) {
                             Linear layer = prototype;
                             testing::set_parameters(layer, o);
                             layer.forward(runtime, pass, o.inputs[0], o.outputs[0]);
                             layer.backward(runtime, pass, o.d_outputs[0], o.inputs[0],
                                            o.d_inputs[0]);
                             testing::get_gradients(layer, o);
                           }};
  subject.set_reference([]<class Real>(const Pass& pass, const Segments& segs,
                                       const Operands<Real>& o) {
    const Shards shards = pass.shards != nullptr ? *pass.shards : Shards(segs.total());
    reference::linear_forward<Real>(o.inputs[0], o.parameters[0], flat(o.parameters[1]),
                                    o.outputs[0]);
    reference::linear_backward_input<Real>(o.d_outputs[0], o.parameters[0], o.d_inputs[0]);
    reference::linear_backward_weight<Real>(o.d_outputs[0], o.inputs[0], shards, o.d_parameters[0]);
    reference::sum_rows<Real>(o.d_outputs[0], shards, flat(o.d_parameters[1]));
  });
  expect_contract(subject);
}

}  // namespace
}  // namespace padless
