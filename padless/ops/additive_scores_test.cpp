#include "padless/ops/additive_scores.h"

#include <gtest/gtest.h>

#include <vector>

#include "padless/core/error.h"
#include "padless/reference/additive_scores.h"
#include "padless/testing/contract.h"

namespace padless {
namespace {

using testing::Axis;
using testing::flat;
using testing::Operands;

testing::Subject additive_scores(std::size_t width) {
  testing::Subject subject{
      .name = "additive_scores",
      .inputs = {{.name = "h", .cols = width}},
      .parameters = {{.name = "context", .axis = Axis::fixed, .cols = width}},
      .outputs = {{.name = "u", .cols = width, .has_gradient = false}, {.name = "scores"}},
      .run = [](Runtime& runtime, const Pass& pass, const Segments&, const Operands<float>& o) {
        additive_scores_forward(runtime, pass, o.inputs[0], flat(o.parameters[0]), o.outputs[0],
                                flat(o.outputs[1]));
        additive_scores_backward(runtime, pass, flat(o.d_outputs[0]), o.outputs[0],
                                 flat(o.parameters[0]), o.d_inputs[0], flat(o.d_parameters[0]));
      }};
  subject.set_reference(
      []<class Real>(const Pass& pass, const Segments& segs, const Operands<Real>& o) {
        const Shards shards = pass.shards != nullptr ? *pass.shards : Shards(segs.total());
        reference::additive_scores_forward<Real>(o.inputs[0], flat(o.parameters[0]), o.outputs[0],
                                                 flat(o.outputs[1]));
        reference::additive_scores_backward<Real>(flat(o.d_outputs[0]), o.outputs[0],
                                                  flat(o.parameters[0]), shards, o.d_inputs[0],
                                                  flat(o.d_parameters[0]));
      });
  return subject;
}

TEST(AdditiveScores, KeepTheContract) {
  for (const std::size_t width : {19u, 1u, 50u}) expect_contract(additive_scores(width));
}

TEST(AdditiveScores, RefuseShapesThatDoNotFit) {
  Runtime runtime;
  std::vector<float> cells(64);
  EXPECT_THROW(additive_scores_forward(runtime, {}, {cells.data(), 3, 4}, std::span(cells).first(5),
                                       {cells.data(), 3, 4}, std::span(cells).first(3)),
               ShapeError);
  const Shards wrong(2);
  EXPECT_THROW(additive_scores_backward(runtime, {.shards = &wrong}, std::span(cells).first(3),
                                        {cells.data(), 3, 4}, std::span(cells).first(4),
                                        {cells.data(), 3, 4}, std::span(cells).first(4)),
               ShapeError);
}

}  // namespace
}  // namespace padless
