#include "padless/ops/softmax_cross_entropy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "padless/batch/shards.h"
#include "padless/core/error.h"
#include "padless/core/rng.h"
#include "padless/reference/softmax_cross_entropy.h"
#include "padless/testing/bits.h"
#include "padless/testing/contract.h"
#include "padless/testing/refusal.h"

namespace padless {
namespace {

using testing::Axis;
using testing::Operands;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

/// The ids of a batch as labels: the one behind the last class is ignored.
std::vector<std::int32_t> labels_of(const auto& operands, std::size_t classes) {
  std::vector<std::int32_t> labels;
  for (const std::size_t id : *operands.ids) {
    labels.push_back(id < classes ? static_cast<std::int32_t>(id) : kIgnored);
  }
  return labels;
}

/// The loss has one number for the whole batch; its upstream gradient is the scale.
testing::Subject softmax_cross_entropy(std::size_t classes, float smoothing,
                                       const std::vector<float>& weights = {}) {
  testing::Subject subject{
      .name = "softmax_cross_entropy",
      .inputs = {{.name = "logits", .cols = classes}},
      .outputs = {{.name = "probabilities", .cols = classes, .has_gradient = false},
                  {.name = "loss", .axis = Axis::fixed}},
      .ids_below = classes + 1,
      .run = [=](Runtime& runtime, const Pass& pass, const Segments&, const Operands<float>& o) {
        const auto labels = labels_of(o, classes);
        o.outputs[1](0, 0) =
            static_cast<float>(softmax_cross_entropy_forward(runtime, pass, o.inputs[0], labels,
                                                             {smoothing, weights}, o.outputs[0])
                                   .sum);
        softmax_cross_entropy_backward(runtime, pass, o.outputs[0], labels, {smoothing, weights},
                                       o.d_outputs[0](0, 0), o.d_inputs[0]);
      }};
  subject.set_reference(
      [=]<class Real>(const Pass& pass, const Segments& segs, const Operands<Real>& o) {
        const Shards shards = pass.shards != nullptr ? *pass.shards : Shards(segs.total());
        const auto labels = labels_of(o, classes);
        o.outputs[1](0, 0) = Real(reference::softmax_cross_entropy_forward<Real>(
            o.inputs[0], labels, Real(smoothing), weights, shards, o.outputs[0]));
        reference::softmax_cross_entropy_backward<Real>(
            o.outputs[0], labels, Real(smoothing), weights, o.d_outputs[0](0, 0), o.d_inputs[0]);
      });
  return subject;
}

TEST(SoftmaxCrossEntropy, KeepsTheContract) {
  for (const std::size_t classes : {1u, 3u, 19u, 50u}) {
    for (const float smoothing : {0.0f, 0.1f}) {
      expect_contract(softmax_cross_entropy(classes, smoothing));
    }
  }
  expect_contract(softmax_cross_entropy(3, 0.1f, {0.3f, 2, 0}));
}

// Cross-entropies of log 3 with weights 1 and 3: their mean is log 3, over a weight of 4.
TEST(SoftmaxCrossEntropy, RowsWeighAsTheirLabels) {
  Runtime runtime;
  const Matrix<float> logits(3, 3);
  const std::vector<std::int32_t> labels = {0, 2, kIgnored};
  const std::vector<float> weights = {1, 7, 3};
  Matrix<float> probabilities(3, 3), d_logits(3, 3);
  const LossSum loss = softmax_cross_entropy_forward(
      runtime, {}, logits.view(), labels, {.class_weights = weights}, probabilities.view());
  EXPECT_NEAR(loss.sum, 4 * std::log(3.0), 1e-6);
  EXPECT_EQ(loss.count, 2u);
  EXPECT_EQ(loss.weight, 4);
  softmax_cross_entropy_backward(runtime, {}, probabilities.view(), labels,
                                 {.class_weights = weights}, 0.25f, d_logits.view());
  EXPECT_FLOAT_EQ(d_logits(0, 0), 0.25f * (1 / 3.0f - 1));
  EXPECT_FLOAT_EQ(d_logits(1, 2), 0.75f * (1 / 3.0f - 1));
  EXPECT_EQ(d_logits(2, 0), 0);
}

TEST(SoftmaxCrossEntropy, RefusesWeightsThatAreNone) {
  Runtime runtime;
  Matrix<float> logits(1, 2), probabilities(1, 2);
  const std::vector<std::int32_t> labels = {0};
  const auto message_of = [&](const std::vector<float>& weights) {
    return testing::refusal([&] {
      softmax_cross_entropy_forward(runtime, {}, logits.view(), labels, {.class_weights = weights},
                                    probabilities.view());
    });
  };
  EXPECT_EQ(message_of({1}),
            "softmax_cross_entropy_forward: class_weights has 1 elements, expected 2");
  EXPECT_EQ(message_of({1, -1}),
            "softmax_cross_entropy_forward: class_weights[1] is -1, expected a finite number of at "
            "least 0");
}

struct Result {
  LossSum loss;
  Matrix<float> d_logits;
};

Result run(Runtime& runtime, MatrixView<const float> logits, std::span<const std::int32_t> labels,
           float smoothing, float scale) {
  Matrix<float> probabilities(logits.rows(), logits.cols());
  Result result{.d_logits = Matrix<float>(logits.rows(), logits.cols())};
  result.loss =
      softmax_cross_entropy_forward(runtime, {}, logits, labels, {smoothing}, probabilities.view());
  softmax_cross_entropy_backward(runtime, {}, std::as_const(probabilities).view(), labels,
                                 {smoothing}, scale, result.d_logits.view());
  return result;
}

/// Logits of two classes whose loss at label 0 is `loss`.
void set_loss(std::span<float> logits, double loss) {
  logits[0] = 0;
  logits[1] = static_cast<float>(std::log(std::expm1(loss)));
}

// Losses 1, 1, 1, 1 in one micro-batch, 3 and three ignored rows in the other: 7 over 5 rows.
TEST(SoftmaxCrossEntropy, AnySplitIntoMicroBatchesGivesTheSameLossAndGradient) {
  const std::vector<std::int32_t> labels = {0, 0, 0, 0, 0, kIgnored, kIgnored, kIgnored};
  Matrix<float> logits(8, 2);
  for (std::size_t r = 0; r < 8; ++r) set_loss(logits.row(r), r == 4 ? 3 : 1);
  const float scale = 1.0f / 5;
  testing::for_each_runtime([&](Runtime& runtime) {
    const Result whole = run(runtime, std::as_const(logits).view(), labels, 0, scale);
    EXPECT_EQ(whole.loss.count, 5u);
    EXPECT_FLOAT_EQ(static_cast<float>(whole.loss.sum), 7);
    for (const std::size_t cut : {1u, 4u, 6u}) {
      const Result first = run(runtime, std::as_const(logits).view().rows_at(0, cut),
                               std::span(labels).first(cut), 0, scale);
      const Result second = run(runtime, std::as_const(logits).view().rows_at(cut, 8 - cut),
                                std::span(labels).subspan(cut), 0, scale);
      EXPECT_EQ(first.loss.sum + second.loss.sum, whole.loss.sum);
      EXPECT_EQ(first.loss.count + second.loss.count, whole.loss.count);
      testing::expect_same_bits(first.d_logits.cells(), whole.d_logits.cells().first(2 * cut));
      testing::expect_same_bits(second.d_logits.cells(), whole.d_logits.cells().subspan(2 * cut));
    }
  });
}

// A loss for each token is the same op over the tokens' rows: ignoring works by position, and the
// tokens of all sequences weigh the same, however long their sequence is.
TEST(SoftmaxCrossEntropy, OverTokensEachCountsAloneAndIgnoredPositionsDoNot) {
  constexpr std::size_t kTokens = 5, kClasses = 3;
  const Matrix<float> logits = Rng(4).normal(kTokens, kClasses, 1);
  const std::vector<std::int32_t> labels = {2, kIgnored, 0, kIgnored, 1};
  testing::for_each_runtime([&](Runtime& runtime) {
    const Result all = run(runtime, logits.view(), labels, 0, 0.5f);
    EXPECT_EQ(all.loss.count, 3u);
    double sum = 0;
    for (std::size_t t = 0; t < kTokens; ++t) {
      const Result alone =
          run(runtime, logits.view().rows_at(t, 1), std::span(labels).subspan(t, 1), 0, 0.5f);
      sum += alone.loss.sum;
      testing::expect_same_bits(alone.d_logits.cells(), all.d_logits.row(t));
    }
    EXPECT_EQ(all.loss.sum, sum);
  });
}

TEST(SoftmaxCrossEntropy, AllRowsIgnoredGiveNothingAndACountThatSaysSo) {
  const std::vector<std::int32_t> labels = {kIgnored, kIgnored};
  Matrix<float> logits(2, 3);
  fill(logits.view(), kNaN);
  testing::for_each_runtime([&](Runtime& runtime) {
    const Result none = run(runtime, std::as_const(logits).view(), labels, 0.1f,
                            std::numeric_limits<float>::infinity());
    EXPECT_EQ(none.loss.sum, 0);
    EXPECT_EQ(none.loss.count, 0u);
    testing::expect_same_bits(none.d_logits.cells(), std::vector<float>(6, 0));
  });
  Runtime runtime;
  Matrix<float> more(2, 2);
  set_loss(more.row(0), 0.6);
  set_loss(more.row(1), 0.2);
  const Result some =
      run(runtime, std::as_const(more).view(), std::vector<std::int32_t>{0, 0}, 0, 1);
  EXPECT_FLOAT_EQ(static_cast<float>(some.loss.sum / 2), 0.4f);
}

TEST(SoftmaxCrossEntropy, AnIgnoredRowHasNoPartInLossOrGradient) {
  const std::vector<std::int32_t> labels = {0, kIgnored};
  const std::vector<double> exact = {2, 0, 0, 0, 0, 0};
  std::vector<double> written(6);
  const Shards shards(2);
  EXPECT_NEAR(reference::softmax_cross_entropy_forward<double>({exact.data(), 2, 3}, labels, 0.1,
                                                               {}, shards, {written.data(), 2, 3}),
              0.372878099555, 1e-9);
  EXPECT_NEAR(reference::softmax_cross_entropy_forward<double>({exact.data(), 2, 3}, labels, 0.0,
                                                               {}, shards, {written.data(), 2, 3}),
              0.239544766222, 1e-9);
  testing::for_each_runtime([&](Runtime& runtime) {
    Matrix<float> logits(2, 3);
    logits(0, 0) = 2;
    const Result clean = run(runtime, std::as_const(logits).view(), labels, 0.1f, 1);
    EXPECT_EQ(clean.loss.count, 1u);
    EXPECT_FLOAT_EQ(static_cast<float>(clean.loss.sum), 0.372878099555f);
    for (const float poison : {kNaN, std::numeric_limits<float>::infinity(), 1e30f}) {
      std::ranges::fill(logits.row(1), poison);
      const Result dirty = run(runtime, std::as_const(logits).view(), labels, 0.1f, 1);
      EXPECT_EQ(dirty.loss.sum, clean.loss.sum);
      EXPECT_EQ(dirty.loss.count, clean.loss.count);
      testing::expect_same_bits(dirty.d_logits.cells(), clean.d_logits.cells());
    }
  });
}

// At -120000 a float has room for 1/128: lse itself would lose the loss.
TEST(SoftmaxCrossEntropy, LogitsFarFromZeroLoseNothing) {
  const std::vector<float> near = {0, -1}, far = {-120000, -120001};
  testing::for_each_runtime([&](Runtime& runtime) {
    const std::vector<std::int32_t> label = {1};
    const Result expected = run(runtime, {near.data(), 1, 2}, label, 0, 1);
    const Result found = run(runtime, {far.data(), 1, 2}, label, 0, 1);
    EXPECT_EQ(found.loss.sum, expected.loss.sum);
    testing::expect_same_bits(found.d_logits.cells(), expected.d_logits.cells());
  });
}

// In float, the small loss would lose most of its digits beside 1.
TEST(SoftmaxCrossEntropy, SumsInDouble) {
  Runtime runtime;
  Matrix<float> logits(2, 2);
  set_loss(logits.row(0), 1);
  logits(1, 1) = -10;  // a loss of 4.5e-5
  const std::vector<std::int32_t> labels = {0, 0};
  const Result both = run(runtime, std::as_const(logits).view(), labels, 0, 1);
  const Result first =
      run(runtime, std::as_const(logits).view().rows_at(0, 1), std::span(labels).first(1), 0, 1);
  const Result second =
      run(runtime, std::as_const(logits).view().rows_at(1, 1), std::span(labels).first(1), 0, 1);
  EXPECT_EQ(both.loss.sum, first.loss.sum + second.loss.sum);
  EXPECT_NE(both.loss.sum,
            static_cast<float>(first.loss.sum) + static_cast<float>(second.loss.sum));
}

TEST(SoftmaxCrossEntropy, RefusesLabelsThatAreNoClass) {
  Runtime runtime;
  std::vector<float> logits(6), out(6, 9);
  for (const std::int32_t wrong : {3, -1, -99, std::numeric_limits<std::int32_t>::max()}) {
    EXPECT_THROW(
        softmax_cross_entropy_forward(runtime, {}, {logits.data(), 2, 3},
                                      std::vector<std::int32_t>{0, wrong}, {}, {out.data(), 2, 3}),
        ValueError);
    EXPECT_THROW(softmax_cross_entropy_backward(runtime, {}, {logits.data(), 2, 3},
                                                std::vector<std::int32_t>{0, wrong}, {}, 1,
                                                {out.data(), 2, 3}),
                 ValueError);
  }
  EXPECT_EQ(out, std::vector<float>(6, 9));
  EXPECT_EQ(testing::refusal<ValueError>([&] {
              softmax_cross_entropy_forward(runtime, {}, {logits.data(), 2, 3},
                                            std::vector<std::int32_t>{0, 3}, {},
                                            {out.data(), 2, 3});
            }),
            "softmax_cross_entropy_forward: labels[1] is 3, expected a class in [0, 3) or "
            "-100 (ignored)");
}

TEST(SoftmaxCrossEntropy, RefusesShapesAndSmoothingThatDoNotFit) {
  Runtime runtime;
  std::vector<float> logits(6), out(6);
  const std::vector<std::int32_t> labels = {0, 1};
  for (const float smoothing : {-0.1f, 1.1f, kNaN}) {
    EXPECT_THROW(softmax_cross_entropy_forward(runtime, {}, {logits.data(), 2, 3}, labels,
                                               {smoothing}, {out.data(), 2, 3}),
                 ValueError);
  }
  EXPECT_THROW(softmax_cross_entropy_forward(runtime, {}, {logits.data(), 2, 3}, labels, {},
                                             {out.data(), 3, 2}),
               ShapeError);
  const Shards wrong(3);
  EXPECT_THROW(softmax_cross_entropy_forward(runtime, {.shards = &wrong}, {logits.data(), 2, 3},
                                             labels, {}, {out.data(), 2, 3}),
               ShapeError);
}

}  // namespace
}  // namespace padless
