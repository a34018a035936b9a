#include "padless/ops/layer_norm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "padless/reference/layer_norm.h"
#include "padless/testing/bits.h"
#include "padless/testing/contract.h"
#include "padless/testing/refusal.h"

namespace padless {
namespace {

using testing::Axis;
using testing::flat;
using testing::Operands;
using testing::refusal;

constexpr float kEpsilon = 1e-5f;

testing::Subject layer_norm(std::size_t width) {
  testing::Subject subject{
      .name = "layer_norm",
      .inputs = {{.name = "x", .cols = width}},
      .parameters = {{.name = "gamma", .axis = Axis::fixed, .cols = width},
                     {.name = "beta", .axis = Axis::fixed, .cols = width}},
      .outputs = {{.name = "y", .cols = width},
                  {.name = "mean", .has_gradient = false},
                  {.name = "rstd", .has_gradient = false}},
      .run = [](Runtime& runtime, const Pass& pass, const Segments&, const Operands<float>& o) {
        const auto mean = flat(o.outputs[1]), rstd = flat(o.outputs[2]);
        layer_norm_forward(runtime, pass, o.inputs[0], flat(o.parameters[0]), flat(o.parameters[1]),
                           kEpsilon, o.outputs[0], mean, rstd);
        layer_norm_backward_weight(runtime, pass, o.d_outputs[0], o.inputs[0], mean, rstd,
                                   flat(o.d_parameters[0]), flat(o.d_parameters[1]));
        layer_norm_backward_input(runtime, pass, o.d_outputs[0], o.inputs[0], flat(o.parameters[0]),
                                  mean, rstd, o.d_inputs[0]);
      }};
  subject.set_reference([]<class Real>(const Pass& pass, const Segments& segs,
                                       const Operands<Real>& o) {
    const Shards shards = pass.shards != nullptr ? *pass.shards : Shards(segs.total());
    const auto mean = flat(o.outputs[1]), rstd = flat(o.outputs[2]);
    reference::layer_norm_forward<Real>(o.inputs[0], flat(o.parameters[0]), flat(o.parameters[1]),
                                        Real(kEpsilon), o.outputs[0], mean, rstd);
    reference::layer_norm_backward_input<Real>(o.d_outputs[0], o.inputs[0], flat(o.parameters[0]),
                                               mean, rstd, o.d_inputs[0]);
    reference::layer_norm_backward_weight<Real>(o.d_outputs[0], o.inputs[0], mean, rstd, shards,
                                                flat(o.d_parameters[0]), flat(o.d_parameters[1]));
  });
  return subject;
}

TEST(LayerNorm, KeepsTheContract) {
  for (const std::size_t width : {19u, 1u, 50u, 130u}) expect_contract(layer_norm(width));
}

struct Normed {
  std::vector<float> y, mean, rstd;
};

Normed run(Runtime& runtime, const std::vector<float>& x, std::size_t width,
           const std::vector<float>& gamma, const std::vector<float>& beta, float epsilon) {
  const std::size_t rows = x.size() / width;
  Normed normed{std::vector<float>(x.size()), std::vector<float>(rows), std::vector<float>(rows)};
  layer_norm_forward(runtime, {}, {x.data(), rows, width}, gamma, beta, epsilon,
                     {normed.y.data(), rows, width}, normed.mean, normed.rstd);
  return normed;
}

// By hand: mean 5, variance 9 + 7 of epsilon, so rstd 1/4.
TEST(LayerNorm, GivesWhatTheFormulaSays) {
  testing::for_each_runtime([](Runtime& runtime) {
    const Normed normed = run(runtime, {2, 8}, 2, {4, 8}, {1, -1}, 7);
    EXPECT_EQ(normed.mean, (std::vector<float>{5}));
    EXPECT_EQ(normed.rstd, (std::vector<float>{0.25f}));
    EXPECT_EQ(normed.y, (std::vector<float>{-2, 5}));
  });
}

// Numbers far from 0 with a small spread: a variance by "mean of squares less square of mean" would
// be negative.
TEST(LayerNorm, KeepsTheSpreadOfNumbersFarFromZero) {
  testing::for_each_runtime([](Runtime& runtime) {
    const Normed normed =
        run(runtime, {10000, 10001, 10002, 10003}, 4, {1, 1, 1, 1}, {0, 0, 0, 0}, kEpsilon);
    EXPECT_EQ(normed.mean, (std::vector<float>{10001.5f}));
    for (std::size_t c = 0; c < 4; ++c) {
      // The variance is exact: what is left is a rounding a step.
      const double expected = (static_cast<double>(c) - 1.5) / std::sqrt(1.25 + 1e-5);
      EXPECT_NEAR(normed.y[c], expected, 4e-7);
    }
  });
}

TEST(LayerNorm, ARowOfOneShortNumberGivesBeta) {
  testing::for_each_runtime([](Runtime& runtime) {
    for (const std::size_t width : {1u, 7u, 16u, 33u, 768u}) {
      // Of 14 digits and fewer, 10 more for the width: no sum rounds.
      for (const float number : {4.0f, -16383.0f, 0x1.234p+90f}) {
        const std::vector<float> x(5 * width, number), gamma(width, 3), beta(width, -0.7f);
        testing::expect_same_bits(run(runtime, x, width, gamma, beta, kEpsilon).y,
                                  std::vector<float>(5 * width, -0.7f));
      }
    }
    // A mean of one number is that number.
    testing::expect_same_bits(run(runtime, {0.1f}, 1, {3}, {-0.7f}, kEpsilon).y,
                              std::vector<float>{-0.7f});
  });
}

// The mean is off by its roundings, and what they leave of each number is scaled like any spread.
TEST(LayerNorm, ARowOfOneLongNumberIsNoFurtherFromBetaThanTheMeanIsOff) {
  testing::for_each_runtime([](Runtime& runtime) {
    for (const std::size_t width : {1u, 3u, 7u, 16u, 33u, 768u}) {
      for (const float number : {0.1f, -3.3f, 12345.68f, 142857.14f, 3e30f}) {
        const std::vector<float> x(width, number), gamma(width, 3), beta(width, -0.7f);
        const double roundings = std::ceil(static_cast<double>(width) / 16) + 4;
        const double off = roundings * 0x1p-24 * std::fabs(static_cast<double>(number));
        const double bound = 3 * std::fmin(1, off / std::sqrt(static_cast<double>(kEpsilon)));
        for (const float cell : run(runtime, x, width, gamma, beta, kEpsilon).y) {
          // Beside the bound a few roundings of the last steps.
          ASSERT_NEAR(cell, -0.7f, bound * (1 + 1e-6) + 3e-7) << width << " times " << number;
        }
      }
    }
    // As far off as it can be: this is what the page says.
    const std::size_t width = 768;
    const std::vector<float> x(width, 142857.14f), gamma(width, 1), beta(width, 0);
    EXPECT_NEAR(std::fabs(run(runtime, x, width, gamma, beta, kEpsilon).y[0]), 0.995, 5e-4);
  });
}

TEST(LayerNorm, MayWriteOverItsInputAndItsUpstreamGradient) {
  const std::size_t width = 21, rows = 11;
  std::vector<float> x(rows * width), d_y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<float>(i * i % 37) - 11;
    d_y[i] = static_cast<float>(i * 7 % 23) - 9;
  }
  const std::vector<float> gamma(width, 1.5f), beta(width, 0.25f);
  testing::for_each_runtime([&](Runtime& runtime) {
    const Normed apart = run(runtime, x, width, gamma, beta, kEpsilon);
    std::vector<float> d_x(x.size()), in_place = x, d_in_place = d_y;
    const MatrixView<const float> rows_of_x(x.data(), rows, width);
    layer_norm_backward_input(runtime, {}, {d_y.data(), rows, width}, rows_of_x, gamma, apart.mean,
                              apart.rstd, {d_x.data(), rows, width});
    layer_norm_backward_input(runtime, {}, {d_in_place.data(), rows, width}, rows_of_x, gamma,
                              apart.mean, apart.rstd, {d_in_place.data(), rows, width});
    testing::expect_same_bits(d_in_place, d_x);
    std::vector<float> mean(rows), rstd(rows);
    layer_norm_forward(runtime, {}, {in_place.data(), rows, width}, gamma, beta, kEpsilon,
                       {in_place.data(), rows, width}, mean, rstd);
    testing::expect_same_bits(in_place, apart.y);
  });
}

TEST(LayerNorm, RefusesAnEpsilonThatIsNotAboveZero) {
  Runtime runtime;
  const auto with = [&](float epsilon) {
    return refusal([&] { run(runtime, {1, 2}, 2, {1, 1}, {0, 0}, epsilon); });
  };
  EXPECT_EQ(with(0), "layer_norm_forward: epsilon is 0, expected a finite number above 0");
  EXPECT_EQ(with(-1e-5f),
            "layer_norm_forward: epsilon is -1e-05, expected a finite number above 0");
  EXPECT_EQ(with(std::numeric_limits<float>::infinity()),
            "layer_norm_forward: epsilon is inf, expected a finite number above 0");
}

TEST(LayerNorm, RefusesShapesThatDoNotFit) {
  Runtime runtime;
  std::vector<float> cells(32);
  const std::span<float> all(cells);
  const MatrixView<float> x(cells.data(), 3, 2), narrow(cells.data(), 3, 1),
      none(cells.data(), 3, 0);
  const auto two = all.first(2), three = all.first(3);
  const auto forward = [&](MatrixView<float> in, std::span<float> gamma, std::span<float> beta,
                           MatrixView<float> y, std::span<float> mean, std::span<float> rstd) {
    return refusal(
        [&] { layer_norm_forward(runtime, {}, in, gamma, beta, kEpsilon, y, mean, rstd); });
  };
  EXPECT_EQ(forward(none, all.first(0), all.first(0), none, three, three),
            "layer_norm_forward: x is [3, 0], expected at least one column");
  EXPECT_EQ(forward(x, three, two, x, three, three),
            "layer_norm_forward: gamma has 3 elements, expected 2");
  EXPECT_EQ(forward(x, two, three, x, three, three),
            "layer_norm_forward: beta has 3 elements, expected 2");
  EXPECT_EQ(forward(x, two, two, narrow, three, three),
            "layer_norm_forward: y is [3, 1], expected [3, 2]");
  EXPECT_EQ(forward(x, two, two, x, two, three),
            "layer_norm_forward: mean has 2 elements, expected 3");
  EXPECT_EQ(forward(x, two, two, x, three, two),
            "layer_norm_forward: rstd has 2 elements, expected 3");
  EXPECT_EQ(
      refusal([&] { layer_norm_backward_input(runtime, {}, narrow, x, two, three, three, x); }),
      "layer_norm_backward_input: d_y is [3, 1], expected [3, 2]");
  const Shards wrong(2);
  EXPECT_EQ(refusal([&] {
              layer_norm_backward_weight(runtime, {.shards = &wrong}, x, x, three, three, two, two);
            }),
            "layer_norm_backward_weight: the pass's shards cut 2 rows, expected 3");
}

}  // namespace
}  // namespace padless
