#include "padless/ops/rms_norm.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "padless/reference/rms_norm.h"
#include "padless/testing/bits.h"
#include "padless/testing/contract.h"
#include "padless/testing/refusal.h"

namespace padless {
namespace {

using testing::Axis;
using testing::flat;
using testing::Operands;
using testing::refusal;

constexpr float kEpsilon = 1e-6f;

testing::Subject rms_norm(std::size_t width) {
  testing::Subject subject{
      .name = "rms_norm",
      .inputs = {{.name = "x", .cols = width}},
      .parameters = {{.name = "gamma", .axis = Axis::fixed, .cols = width}},
      .outputs = {{.name = "y", .cols = width}, {.name = "rstd", .has_gradient = false}},
      .run = [](Runtime& runtime, const Pass& pass, const Segments&, const Operands<float>& o) {
        const auto rstd = flat(o.outputs[1]);
        rms_norm_forward(runtime, pass, o.inputs[0], flat(o.parameters[0]), kEpsilon, o.outputs[0],
                         rstd);
        rms_norm_backward_weight(runtime, pass, o.d_outputs[0], o.inputs[0], rstd,
                                 flat(o.d_parameters[0]));
        rms_norm_backward_input(runtime, pass, o.d_outputs[0], o.inputs[0], flat(o.parameters[0]),
                                rstd, o.d_inputs[0]);
      }};
  subject.set_reference(
      []<class Real>(const Pass& pass, const Segments& segs, const Operands<Real>& o) {
        const Shards shards = pass.shards != nullptr ? *pass.shards : Shards(segs.total());
        const auto rstd = flat(o.outputs[1]);
        reference::rms_norm_forward<Real>(o.inputs[0], flat(o.parameters[0]), Real(kEpsilon),
                                          o.outputs[0], rstd);
        reference::rms_norm_backward_input<Real>(o.d_outputs[0], o.inputs[0], flat(o.parameters[0]),
                                                 rstd, o.d_inputs[0]);
        reference::rms_norm_backward_weight<Real>(o.d_outputs[0], o.inputs[0], rstd, shards,
                                                  flat(o.d_parameters[0]));
      });
  return subject;
}

TEST(RmsNorm, KeepsTheContract) {
  for (const std::size_t width : {19u, 2u, 50u, 130u}) expect_contract(rms_norm(width));
}

struct Normed {
  std::vector<float> y, rstd;
};

Normed run(Runtime& runtime, const std::vector<float>& x, std::size_t width,
           const std::vector<float>& gamma, float epsilon) {
  const std::size_t rows = x.size() / width;
  Normed normed{std::vector<float>(x.size()), std::vector<float>(rows)};
  rms_norm_forward(runtime, {}, {x.data(), rows, width}, gamma, epsilon,
                   {normed.y.data(), rows, width}, normed.rstd);
  return normed;
}

// By hand: the mean of squares is (1 + 49) / 2 = 25 and 11 of epsilon.
TEST(RmsNorm, GivesWhatTheFormulaSays) {
  testing::for_each_runtime([](Runtime& runtime) {
    const Normed normed = run(runtime, {1, 7}, 2, {6, 12}, 11);
    testing::expect_same_bits(normed.rstd, std::vector<float>{1.0f / 6});
    testing::expect_same_bits(normed.y, std::vector<float>{1.0f / 6 * 6, 7 * (1.0f / 6) * 12});
  });
}

TEST(RmsNorm, ARowOfZerosGivesZerosAndAFiniteGradient) {
  testing::for_each_runtime([](Runtime& runtime) {
    for (const std::size_t width : {1u, 7u, 33u}) {
      const std::vector<float> x(5 * width), gamma(width, 3), d_y(5 * width, 2);
      const Normed normed = run(runtime, x, width, gamma, kEpsilon);
      testing::expect_same_bits(normed.y, x);
      std::vector<float> d_x(x.size());
      rms_norm_backward_input(runtime, {}, {d_y.data(), 5, width}, {x.data(), 5, width}, gamma,
                              normed.rstd, {d_x.data(), 5, width});
      testing::expect_same_bits(d_x, std::vector<float>(x.size(), normed.rstd[0] * 6));
    }
  });
}

TEST(RmsNorm, ASingleColumnGivesItsSign) {
  testing::for_each_runtime([](Runtime& runtime) {
    const Normed normed = run(runtime, {3, -0.5f}, 1, {2}, 1e-30f);
    EXPECT_FLOAT_EQ(normed.y[0], 2);
    EXPECT_FLOAT_EQ(normed.y[1], -2);
  });
}

TEST(RmsNorm, MayWriteOverItsInputAndItsUpstreamGradient) {
  const std::size_t width = 21, rows = 11;
  std::vector<float> x(rows * width), d_y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<float>(i * i % 37) - 11;
    d_y[i] = static_cast<float>(i * 7 % 23) - 9;
  }
  const std::vector<float> gamma(width, 1.5f);
  testing::for_each_runtime([&](Runtime& runtime) {
    const Normed apart = run(runtime, x, width, gamma, kEpsilon);
    std::vector<float> d_x(x.size()), rstd(rows), in_place = x, d_in_place = d_y;
    const MatrixView<const float> rows_of_x(x.data(), rows, width);
    rms_norm_backward_input(runtime, {}, {d_y.data(), rows, width}, rows_of_x, gamma, apart.rstd,
                            {d_x.data(), rows, width});
    rms_norm_backward_input(runtime, {}, {d_in_place.data(), rows, width}, rows_of_x, gamma,
                            apart.rstd, {d_in_place.data(), rows, width});
    testing::expect_same_bits(d_in_place, d_x);
    rms_norm_forward(runtime, {}, {in_place.data(), rows, width}, gamma, kEpsilon,
                     {in_place.data(), rows, width}, rstd);
    testing::expect_same_bits(in_place, apart.y);
  });
}

TEST(RmsNorm, RefusesWhatDoesNotFit) {
  Runtime runtime;
  std::vector<float> cells(32);
  const std::span<float> all(cells);
  const MatrixView<float> x(cells.data(), 3, 2), narrow(cells.data(), 3, 1),
      none(cells.data(), 3, 0);
  const auto two = all.first(2), three = all.first(3);
  const auto forward = [&](MatrixView<float> in, std::span<float> gamma, float epsilon,
                           MatrixView<float> y, std::span<float> rstd) {
    return refusal([&] { rms_norm_forward(runtime, {}, in, gamma, epsilon, y, rstd); });
  };
  EXPECT_EQ(forward(x, two, -1, x, three),
            "rms_norm_forward: epsilon is -1, expected a finite number above 0");
  EXPECT_EQ(forward(none, all.first(0), kEpsilon, none, three),
            "rms_norm_forward: x is [3, 0], expected at least one column");
  EXPECT_EQ(forward(x, three, kEpsilon, x, three),
            "rms_norm_forward: gamma has 3 elements, expected 2");
  EXPECT_EQ(forward(x, two, kEpsilon, narrow, three),
            "rms_norm_forward: y is [3, 1], expected [3, 2]");
  EXPECT_EQ(forward(x, two, kEpsilon, x, two), "rms_norm_forward: rstd has 2 elements, expected 3");
  EXPECT_EQ(refusal([&] { rms_norm_backward_input(runtime, {}, narrow, x, two, three, x); }),
            "rms_norm_backward_input: d_y is [3, 1], expected [3, 2]");
  const Shards wrong(2);
  EXPECT_EQ(
      refusal([&] { rms_norm_backward_weight(runtime, {.shards = &wrong}, x, x, three, two); }),
      "rms_norm_backward_weight: the pass's shards cut 2 rows, expected 3");
}

}  // namespace
}  // namespace padless
