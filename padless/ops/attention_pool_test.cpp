#include "padless/ops/attention_pool.h"

#include <gtest/gtest.h>

#include <vector>

#include "padless/core/error.h"
#include "padless/reference/attention_pool.h"
#include "padless/testing/contract.h"
#include "padless/testing/refusal.h"

namespace padless {
namespace {

using testing::Axis;
using testing::flat;
using testing::Operands;

testing::Subject attention_pool(std::size_t width) {
  testing::Subject subject{.name = "attention_pool",
                           .inputs = {{.name = "x", .cols = width}, {.name = "scores"}},
                           .outputs = {{.name = "out", .axis = Axis::sequences, .cols = width},
                                       {.name = "weights", .has_gradient = false}},
                           .run = [](Runtime& runtime, const Pass& pass, const Segments& segs,
                                     const Operands<float>& o) {
                             attention_pool_forward(runtime, pass, o.inputs[0], flat(o.inputs[1]),
                                                    segs, o.outputs[0], flat(o.outputs[1]));
                             attention_pool_backward(runtime, pass, o.d_outputs[0], o.inputs[0],
                                                     flat(o.outputs[1]), segs, o.d_inputs[0],
                                                     flat(o.d_inputs[1]));
                           }};
  subject.set_reference([]<class Real>(const Pass&, const Segments& segs, const Operands<Real>& o) {
    reference::attention_pool_forward<Real>(o.inputs[0], flat(o.inputs[1]), segs, o.outputs[0],
                                            flat(o.outputs[1]));
    reference::attention_pool_backward<Real>(o.d_outputs[0], o.inputs[0], flat(o.outputs[1]), segs,
                                             o.d_inputs[0], flat(o.d_inputs[1]));
  });
  return subject;
}

TEST(AttentionPool, KeepsTheContract) {
  // No multiple of any lane count; less than a vector; more than four vectors of any kind.
  for (const std::size_t width : {19u, 1u, 100u}) expect_contract(attention_pool(width));
}

// The weights of scores (-120000, -120001) are those of (0, -1): no fill constant is ever near.
TEST(AttentionPool, FarScoresLoseNothing) {
  const std::vector<float> scores = {-120000, -120001};
  const std::vector<float> x = {1, 2};
  testing::for_each_runtime([&](Runtime& runtime) {
    std::vector<float> out(1), weights(2);
    attention_pool_forward(runtime, {}, {x.data(), 2, 1}, scores,
                           Segments::from_lengths(std::vector<std::size_t>{2}), {out.data(), 1, 1},
                           weights);
    EXPECT_NEAR(weights[0], 0.7310585786300049, 1e-7);
    EXPECT_NEAR(weights[1], 0.2689414213699951, 1e-7);
  });
}

TEST(AttentionPool, CountsTheSequencesWithoutRows) {
  Runtime runtime;
  const std::vector<float> x = {4}, scores = {1};
  std::vector<float> out(3, 9), weights(1);
  const auto empty = attention_pool_forward(
      runtime, {}, {x.data(), 1, 1}, scores,
      Segments::from_lengths(std::vector<std::size_t>{0, 1, 0}), {out.data(), 3, 1}, weights);
  EXPECT_EQ(empty, 2u);
  EXPECT_EQ(out, (std::vector<float>{0, 4, 0}));
}

TEST(AttentionPool, RefusesShapesThatDoNotFit) {
  Runtime runtime;
  std::vector<float> cells(200);
  const Segments segs = Segments::from_lengths(std::vector<std::size_t>{1, 2, 0, 1});
  const std::span<float> four = std::span(cells).first(4);
  EXPECT_EQ(testing::refusal<ShapeError>([&] {
              attention_pool_forward(runtime, {}, {cells.data(), 4, 19}, four, segs,
                                     {cells.data(), 4, 18}, four);
            }),
            "attention_pool_forward: out is [4, 18], expected [4, 19]");
  EXPECT_THROW(attention_pool_forward(runtime, {}, {cells.data(), 5, 2}, four, segs,
                                      {cells.data(), 4, 2}, four),
               ShapeError);
}

}  // namespace
}  // namespace padless
