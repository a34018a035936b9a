#include "padless/ops/binary_cross_entropy.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <vector>

#include "padless/batch/shards.h"
#include "padless/reference/binary_cross_entropy.h"
#include "padless/testing/bits.h"
#include "padless/testing/contract.h"
#include "padless/testing/refusal.h"

namespace padless {
namespace {

using testing::Axis;
using testing::Operands;
using testing::refusal;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// Yes, no and ignored, by each row's id.
Matrix<std::int32_t> targets_of(const auto& operands, std::size_t labels) {
  Matrix<std::int32_t> targets(operands.ids->size(), labels);
  for (std::size_t r = 0; r < targets.rows(); ++r) {
    for (std::size_t k = 0; k < labels; ++k) {
      const std::size_t drawn = ((*operands.ids)[r] * 7 + k * 5) % 9;
      targets(r, k) = drawn == 8 ? kIgnored : static_cast<std::int32_t>(drawn % 2);
    }
  }
  return targets;
}

template <class Real>
std::vector<Real> weights_of(std::size_t labels, bool weighted) {
  std::vector<Real> weights;
  for (std::size_t k = 0; weighted && k < labels; ++k) {
    weights.push_back(Real(0.5f + static_cast<float>(k % 5)));
  }
  return weights;
}

/// The loss has one number for the whole batch; its upstream gradient is the scale.
testing::Subject binary_cross_entropy(std::size_t labels, bool weighted) {
  testing::Subject subject{
      .name = "binary_cross_entropy",
      .inputs = {{.name = "logits", .cols = labels}},
      .outputs = {{.name = "loss", .axis = Axis::fixed}},
      .ids_below = 64,
      .run = [=](Runtime& runtime, const Pass& pass, const Segments&, const Operands<float>& o) {
        const Matrix<std::int32_t> targets = targets_of(o, labels);
        const auto weights = weights_of<float>(labels, weighted);
        o.outputs[0](0, 0) = static_cast<float>(
            binary_cross_entropy_forward(runtime, pass, o.inputs[0], targets.view(), weights).sum);
        binary_cross_entropy_backward(runtime, pass, o.inputs[0], targets.view(), weights,
                                      o.d_outputs[0](0, 0), o.d_inputs[0]);
      }};
  subject.set_reference(
      [=]<class Real>(const Pass& pass, const Segments& segs, const Operands<Real>& o) {
        const Shards shards = pass.shards != nullptr ? *pass.shards : Shards(segs.total());
        const Matrix<std::int32_t> targets = targets_of(o, labels);
        const auto weights = weights_of<Real>(labels, weighted);
        o.outputs[0](0, 0) = Real(reference::binary_cross_entropy_forward<Real>(
            o.inputs[0], targets.view(), weights, shards));
        reference::binary_cross_entropy_backward<Real>(o.inputs[0], targets.view(), weights,
                                                       o.d_outputs[0](0, 0), o.d_inputs[0]);
      });
  return subject;
}

TEST(BinaryCrossEntropy, KeepsTheContract) {
  for (const std::size_t labels : {1u, 3u, 19u}) {
    for (const bool weighted : {false, true}) {
      expect_contract(binary_cross_entropy(labels, weighted));
    }
  }
}

struct Result {
  LossSum loss;
  std::vector<float> d_logits;
};

Result run(Runtime& runtime, const std::vector<float>& logits,
           const std::vector<std::int32_t>& targets, const std::vector<float>& weights) {
  Result result{.d_logits = std::vector<float>(logits.size(), kNaN)};
  const std::size_t k = logits.size();
  result.loss = binary_cross_entropy_forward(runtime, {}, {logits.data(), 1, k},
                                             {targets.data(), 1, k}, weights);
  binary_cross_entropy_backward(runtime, {}, {logits.data(), 1, k}, {targets.data(), 1, k}, weights,
                                1, {result.d_logits.data(), 1, k});
  return result;
}

// log 2 for each logit of 0; the weight counts where the target is 1 alone.
TEST(BinaryCrossEntropy, WeighsThePositives) {
  testing::for_each_runtime([](Runtime& runtime) {
    const Result plain = run(runtime, {0, 0}, {1, 0}, {});
    EXPECT_FLOAT_EQ(static_cast<float>(plain.loss.sum), 2 * 0.693147180560f);
    EXPECT_EQ(plain.d_logits, (std::vector<float>{-0.5f, 0.5f}));
    const Result weighted = run(runtime, {0, 0}, {1, 0}, {3, 3});
    EXPECT_FLOAT_EQ(static_cast<float>(weighted.loss.sum), 4 * 0.693147180560f);
    EXPECT_EQ(weighted.d_logits, (std::vector<float>{-1.5f, 0.5f}));
    EXPECT_EQ(weighted.loss.count, 2u);
  });
}

TEST(BinaryCrossEntropy, StaysFiniteFarOut) {
  testing::for_each_runtime([](Runtime& runtime) {
    const Result far = run(runtime, {1000, -1000, 1000, -1000}, {0, 1, 1, 0}, {});
    EXPECT_EQ(far.loss.sum, 2000);
    EXPECT_EQ(far.d_logits, (std::vector<float>{1, -1, 0, 0}));
  });
}

TEST(BinaryCrossEntropy, AnIgnoredPositionHasNoPartWhateverItHolds) {
  testing::for_each_runtime([](Runtime& runtime) {
    const Result part = run(runtime, {kNaN, 2, kInfinity}, {kIgnored, 1, kIgnored}, {});
    const Result alone = run(runtime, {2}, {1}, {});
    EXPECT_EQ(part.loss.sum, alone.loss.sum);
    EXPECT_EQ(part.loss.count, 1u);
    testing::expect_same_bits(part.d_logits, std::vector<float>{0, alone.d_logits[0], 0});
    const Result none = run(runtime, {kNaN}, {kIgnored}, {});
    EXPECT_EQ(none.loss.sum, 0);
    EXPECT_EQ(none.loss.count, 0u);
  });
}

TEST(BinaryCrossEntropy, RefusesWhatDoesNotFit) {
  Runtime runtime;
  const auto of = [&](const std::vector<std::int32_t>& targets, const std::vector<float>& weights) {
    return refusal([&] { run(runtime, {1, 2}, targets, weights); });
  };
  EXPECT_EQ(of({0, 2}, {}),
            "binary_cross_entropy_forward: targets[0, 1] is 2, expected 0, 1 or -100 (ignored)");
  EXPECT_EQ(of({0, 1}, {1}),
            "binary_cross_entropy_forward: positive_weights has 1 elements, expected 2");
  EXPECT_EQ(of({0, 1}, {1, -1}),
            "binary_cross_entropy_forward: positive_weights[1] is -1, expected a finite number of "
            "at least 0");
  const std::vector<float> logits(6);
  const std::vector<std::int32_t> targets(6);
  const Shards wrong(2);
  EXPECT_EQ(refusal([&] {
              binary_cross_entropy_forward(runtime, {.shards = &wrong}, {logits.data(), 3, 2},
                                           {targets.data(), 3, 2}, {});
            }),
            "binary_cross_entropy_forward: the pass's shards cut 2 rows, expected 3");
  EXPECT_EQ(refusal([&] {
              binary_cross_entropy_forward(runtime, {}, {logits.data(), 3, 2},
                                           {targets.data(), 2, 2}, {});
            }),
            "binary_cross_entropy_forward: targets is [2, 2], expected [3, 2]");
}

}  // namespace
}  // namespace padless
