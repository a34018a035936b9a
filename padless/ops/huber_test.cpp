#include "padless/ops/huber.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <vector>

#include "padless/batch/shards.h"
#include "padless/reference/huber.h"
#include "padless/testing/bits.h"
#include "padless/testing/contract.h"
#include "padless/testing/refusal.h"

namespace padless {
namespace {

using testing::Axis;
using testing::flat;
using testing::Operands;
using testing::refusal;

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
testing::Subject huber(float delta) {
  testing::Subject subject{
      .name = "huber",
      .inputs = {{.name = "predictions"}},
      .outputs = {{.name = "loss", .axis = Axis::fixed}},
      .ids_below = 64,
      .run = [=](Runtime& runtime, const Pass& pass, const Segments&, const Operands<float>& o) {
        const auto targets = targets_of(o);
        o.outputs[0](0, 0) =
            static_cast<float>(huber_forward(runtime, pass, flat(o.inputs[0]), targets, delta).sum);
        huber_backward(runtime, pass, flat(o.inputs[0]), targets, delta, o.d_outputs[0](0, 0),
                       flat(o.d_inputs[0]));
      }};
  subject.set_reference(
      [=]<class Real>(const Pass& pass, const Segments& segs, const Operands<Real>& o) {
        const Shards shards = pass.shards != nullptr ? *pass.shards : Shards(segs.total());
        const auto targets = targets_of(o);
        o.outputs[0](0, 0) =
            Real(reference::huber_forward<Real>(flat(o.inputs[0]), targets, Real(delta), shards));
        reference::huber_losses_backward(o.inputs[0].data(), targets.data(), targets.size(),
                                         Real(delta), o.d_outputs[0](0, 0), o.d_inputs[0].data());
      });
  return subject;
}

TEST(Huber, KeepsTheContract) {
  for (const float delta : {1.0f, 0.25f}) expect_contract(huber(delta));
}

// By hand, delta 2: differences 1, -2, 5 and -6.
TEST(Huber, IsHalfTheSquareAndThenStraight) {
  const std::vector<float> predictions = {1, -2, 6, -5}, targets = {0, 0, 1, 1};
  testing::for_each_runtime([&](Runtime& runtime) {
    const LossSum loss = huber_forward(runtime, {}, predictions, targets, 2);
    EXPECT_EQ(loss.sum, 0.5 + 2 + 8 + 10);
    EXPECT_EQ(loss.count, 4u);
    std::vector<float> d_predictions(4);
    huber_backward(runtime, {}, predictions, targets, 2, 0.5f, d_predictions);
    testing::expect_same_bits(d_predictions, std::vector<float>{0.5f, -1, 1, -1});
  });
}

TEST(Huber, ABrokenPredictionIsSeen) {
  Runtime runtime;
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> predictions = {kNaN}, targets = {0};
  EXPECT_NE(huber_forward(runtime, {}, predictions, targets, 1).sum,
            huber_forward(runtime, {}, predictions, targets, 1).sum);
  std::vector<float> d_predictions(1);
  huber_backward(runtime, {}, predictions, targets, 1, 1, d_predictions);
  testing::expect_same_bits(d_predictions, predictions);
}

TEST(Huber, RefusesWhatDoesNotFit) {
  Runtime runtime;
  const std::vector<float> two = {1, 2}, one = {1},
                           wild = {0, std::numeric_limits<float>::infinity()};
  const auto forward = [&](const std::vector<float>& targets, float delta) {
    return refusal([&] { huber_forward(runtime, {}, two, targets, delta); });
  };
  EXPECT_EQ(forward(one, 1), "huber_forward: targets has 1 elements, expected 2");
  EXPECT_EQ(forward(two, 0), "huber_forward: delta is 0, expected a finite number above 0");
  EXPECT_EQ(forward(wild, 1),
            "huber_forward: targets[1] is inf, expected a finite number; leave out rows without a "
            "target");
  std::vector<float> d_predictions(1);
  EXPECT_EQ(refusal([&] { huber_backward(runtime, {}, two, two, 1, 1, d_predictions); }),
            "huber_backward: d_predictions has 1 elements, expected 2");
  const Shards wrong(3);
  EXPECT_EQ(refusal([&] { huber_forward(runtime, {.shards = &wrong}, two, two, 1); }),
            "huber_forward: the pass's shards cut 3 rows, expected 2");
}

}  // namespace
}  // namespace padless
