#include "padless/ops/linear.h"

#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "padless/batch/segments.h"
#include "padless/batch/shards.h"
#include "padless/core/error.h"
#include "padless/core/rng.h"
#include "padless/reference/linear.h"
#include "padless/testing/bits.h"
#include "padless/testing/contract.h"
#include "padless/testing/refusal.h"
#include "padless/testing/threads.h"

namespace padless {
namespace {

using testing::Axis;
using testing::flat;
using testing::Operands;
using Gives = PackedWeights::Gives;

testing::Subject linear(std::size_t in, std::size_t out) {
  testing::Subject subject{
      .name = "linear",
      .inputs = {{.name = "x", .cols = in}},
      .parameters = {{.name = "w", .axis = Axis::fixed, .cols = in, .fixed_rows = out},
                     {.name = "bias", .axis = Axis::fixed, .cols = out}},
      .outputs = {{.name = "y", .cols = out}},
      .run = [](Runtime& runtime, const Pass& pass, const Segments&, const Operands<float>& o) {
        linear_forward(runtime, pass, o.inputs[0],
                       PackedWeights(runtime, o.parameters[0], Gives::outputs),
                       flat(o.parameters[1]), o.outputs[0]);
        linear_backward_input(runtime, pass, o.d_outputs[0],
                              PackedWeights(runtime, o.parameters[0], Gives::inputs),
                              o.d_inputs[0]);
        linear_backward_weight(runtime, pass, o.d_outputs[0], o.inputs[0], o.d_parameters[0],
                               flat(o.d_parameters[1]));
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
  return subject;
}

TEST(Linear, KeepsTheContract) {
  // Panels of one, two and three vectors, whole and with a rest, on every instruction set.
  constexpr std::pair<std::size_t, std::size_t> kShapes[] = {
      {19, 1}, {7, 19}, {33, 48}, {5, 65}, {64, 100}};
  for (const auto& [in, out] : kShapes) expect_contract(linear(in, out));
}

TEST(Linear, EveryNumberOfRowsGivesTheSameBits) {
  constexpr std::size_t kIn = 21, kOut = 70, kMost = 300;
  Rng rng(1);
  const Matrix<float> x = rng.normal(kMost, kIn, 1);
  const Matrix<float> w = rng.normal(kOut, kIn, 1);
  Matrix<float> expected(kMost, kOut);
  reference::linear_forward<float>(x.view(), w.view(), {}, expected.view());
  testing::for_each_runtime([&](Runtime& runtime) {
    const PackedWeights packed(runtime, w.view(), Gives::outputs);
    for (std::size_t rows : {1u, 2u, 3u, 5u, 6u, 7u, 8u, 9u, 17u, 128u, 129u, 300u}) {
      Matrix<float> y(rows, kOut);
      linear_forward(runtime, {}, x.view().rows_at(kMost - rows, rows), packed, {}, y.view());
      testing::expect_same_bits(y.cells(), expected.cells().last(rows * kOut));
    }
  });
}

// Shards of many rows are summed in several turns; empty ones are absent from the tree.
TEST(Linear, TheGradientOfManyRowsIsThatOfTheDefinition) {
  constexpr std::size_t kRows = 900, kIn = 53, kOut = 19;
  const std::vector<std::vector<std::size_t>> kLengths = {
      {900}, {0, 300, 129, 1, 0, 0, 470}, {128, 256, 515, 1}, {0, 0, 0, 900}};
  Rng rng(3);
  const Matrix<float> x = rng.normal(kRows, kIn, 1), d_y = rng.normal(kRows, kOut, 1);
  for (const std::vector<std::size_t>& lengths : kLengths) {
    const Segments segs = Segments::from_lengths(std::span<const std::size_t>(lengths));
    for (const std::size_t count : {1u, 2u, 8u, 32u}) {
      const Shards items = Shards::of_items(segs, count), shards = items.inner(segs);
      Matrix<float> expected = rng.normal(kOut, kIn, 1);
      const Matrix<float> before = expected;
      reference::linear_backward_weight<float>(d_y.view(), x.view(), shards, expected.view());
      testing::for_each_runtime([&](Runtime& runtime) {
        Matrix<float> d_w = before;
        linear_backward_weight(runtime, {.shards = &shards}, d_y.view(), x.view(), d_w.view(), {});
        testing::expect_same_bits(d_w.cells(), expected.cells());
      });
    }
  }
}

TEST(Linear, RefusesShapesThatDoNotFit) {
  Runtime runtime;
  const PackedWeights packed(runtime, Matrix<float>(4, 3).view(), Gives::outputs);
  Matrix<float> x(2, 3), y(2, 5);
  EXPECT_EQ(testing::refusal<ShapeError>([&] {
              linear_forward(runtime, {}, std::as_const(x).view(), packed, {}, y.view());
            }),
            "linear_forward: y is [2, 5], expected [2, 4]");
}

TEST(Linear, RefusesWeightsPackedForAnotherInstructionSet) {
  if (supported_isas().size() < 2) GTEST_SKIP() << "this CPU has one instruction set only";
  Runtime scalar({.threads = 1, .isa = Isa::scalar});
  Runtime best({.threads = 1, .isa = supported_isas().back()});
  const PackedWeights packed(scalar, Matrix<float>(4, 3).view(), Gives::outputs);
  Matrix<float> x(2, 3), y(2, 4);
  EXPECT_THROW(linear_forward(best, {}, std::as_const(x).view(), packed, {}, y.view()), ShapeError);
}

TEST(Linear, RefusesWeightsPackedForTheOtherWay) {
  Runtime runtime;
  const PackedWeights packed(runtime, Matrix<float>(4, 4).view(), Gives::inputs);
  Matrix<float> x(2, 4), y(2, 4);
  EXPECT_THROW(linear_forward(runtime, {}, std::as_const(x).view(), packed, {}, y.view()),
               ShapeError);
}

TEST(PackedCache, PacksAgainOnlyWhenTheVersionRises) {
  Runtime runtime;
  Parameter weight(4, 3);
  const PackedCache cache;
  const auto first = cache.get(runtime, weight, Gives::outputs);
  EXPECT_EQ(cache.get(runtime, weight, Gives::outputs), first);
  EXPECT_NE(cache.get(runtime, weight, Gives::inputs), first);
  ++weight.version;
  EXPECT_NE(cache.get(runtime, weight, Gives::outputs), first);
}

TEST(PackedCache, ServesThreadsThatShareAModel) {
  Rng rng(2);
  const Parameter weight(rng.normal(40, 30, 1));
  const PackedCache cache;
  testing::expect_same_on_threads([&](Runtime& runtime, std::size_t caller) {
    const Matrix<float> x = Rng(caller).normal(9, 30, 1);
    Matrix<float> y(9, 40);
    const auto packed = cache.get(runtime, weight, Gives::outputs);
    linear_forward(runtime, {}, x.view(), *packed, {}, y.view());
    return testing::numbers_of(y);
  });
}

}  // namespace
}  // namespace padless
