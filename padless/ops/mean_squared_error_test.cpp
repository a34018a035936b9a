#include "padless/ops/mean_squared_error.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <vector>

#include "padless/batch/shards.h"
#include "padless/core/error.h"
#include "padless/reference/mean_squared_error.h"
#include "padless/testing/bits.h"
#include "padless/testing/contract.h"
#include "padless/testing/refusal.h"

namespace padless {
namespace {

using testing::Axis;
using testing::flat;
using testing::Operands;

/// The ids of a batch as targets: poison is for predictions.
template <class Real>
std::vector<Real> targets_of(const Operands<Real>& operands) {
  std::vector<Real> targets;
  for (const std::size_t id : *operands.ids) {
    targets.push_back(Real(static_cast<float>(id) / 16 - 2));
  }
  return targets;
}

/// The loss has one number for the whole batch; its upstream gradient is the scale.
testing::Subject mean_squared_error() {
  testing::Subject subject{
      .name = "mean_squared_error",
      .inputs = {{.name = "predictions"}},
      .outputs = {{.name = "loss", .axis = Axis::fixed}},
      .ids_below = 64,
      .run = [](Runtime& runtime, const Pass& pass, const Segments&, const Operands<float>& o) {
        const auto targets = targets_of(o);
        o.outputs[0](0, 0) = static_cast<float>(
            mean_squared_error_forward(runtime, pass, flat(o.inputs[0]), targets).sum);
        mean_squared_error_backward(runtime, pass, flat(o.inputs[0]), targets, o.d_outputs[0](0, 0),
                                    flat(o.d_inputs[0]));
      }};
  subject.set_reference(
      []<class Real>(const Pass& pass, const Segments& segs, const Operands<Real>& o) {
        const Shards shards = pass.shards != nullptr ? *pass.shards : Shards(segs.total());
        const auto targets = targets_of(o);
        o.outputs[0](0, 0) =
            Real(reference::mean_squared_error_forward<Real>(flat(o.inputs[0]), targets, shards));
        reference::squared_errors_backward(o.inputs[0].data(), targets.data(), targets.size(),
                                           o.d_outputs[0](0, 0), o.d_inputs[0].data());
      });
  return subject;
}

TEST(MeanSquaredError, KeepsTheContract) { expect_contract(mean_squared_error()); }

TEST(MeanSquaredError, GivesSumAndCountSoThatSplitsAddUp) {
  Runtime runtime;
  const std::vector<float> predictions = {1, 2, 3}, targets = {0, 2, 5};
  const auto of = [&](std::size_t first, std::size_t count) {
    return mean_squared_error_forward(runtime, {}, std::span(predictions).subspan(first, count),
                                      std::span(targets).subspan(first, count));
  };
  EXPECT_EQ(of(0, 3).sum, 5);
  EXPECT_EQ(of(0, 3).count, 3u);
  EXPECT_EQ(of(0, 1).sum + of(1, 2).sum, 5);
  EXPECT_EQ(of(0, 0).sum, 0);
  EXPECT_EQ(of(0, 0).count, 0u);
  std::vector<float> d_predictions(3);
  mean_squared_error_backward(runtime, {}, predictions, targets, 0.5f, d_predictions);
  testing::expect_same_bits(d_predictions, std::vector<float>{1, 0, -2});
}

// One by one, the small losses would vanish beside the large; as a shard of their own they count.
TEST(MeanSquaredError, SumsOverShards) {
  const std::vector<float> predictions = {0x1p+27f, 1, 1, 1}, targets(4);
  const Segments items = Segments::from_lengths(std::vector<std::size_t>{2, 1, 1, 0});
  const Shards two = Shards::of_items(items, 2);  // rows {0}, {1, 2, 3}
  Runtime runtime;
  EXPECT_EQ(mean_squared_error_forward(runtime, {}, predictions, targets).sum, 0x1p+54);
  EXPECT_EQ(mean_squared_error_forward(runtime, {.shards = &two}, predictions, targets).sum,
            0x1p+54 + 4);
}

TEST(MeanSquaredError, RefusesATargetThatIsNotFinite) {
  Runtime runtime;
  const std::vector<float> predictions = {1, 2};
  for (const float wrong :
       {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
    const std::vector<float> targets = {0, wrong};
    std::vector<float> d_predictions(2, 9);
    EXPECT_TRUE(testing::refusal<ValueError>([&] {
                  mean_squared_error_forward(runtime, {}, predictions, targets);
                }).starts_with("mean_squared_error_forward: targets[1] is "));
    EXPECT_THROW(mean_squared_error_backward(runtime, {}, predictions, targets, 1, d_predictions),
                 ValueError);
    EXPECT_EQ(d_predictions, std::vector<float>(2, 9));
  }
}

TEST(MeanSquaredError, RefusesShapesThatDoNotFit) {
  Runtime runtime;
  std::vector<float> cells(3);
  const std::span<float> three(cells), two = three.first(2);
  EXPECT_THROW(mean_squared_error_forward(runtime, {}, three, two), ShapeError);
  EXPECT_THROW(mean_squared_error_backward(runtime, {}, three, three, 1, two), ShapeError);
  const Shards wrong(2);
  EXPECT_THROW(mean_squared_error_forward(runtime, {.shards = &wrong}, three, three), ShapeError);
}

}  // namespace
}  // namespace padless
