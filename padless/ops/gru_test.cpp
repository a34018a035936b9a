#include "padless/ops/gru.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "padless/core/error.h"
#include "padless/core/rng.h"
#include "padless/reference/gru.h"
#include "padless/testing/bits.h"
#include "padless/testing/contract.h"
#include "padless/testing/refusal.h"

namespace padless {
namespace {

using testing::Axis;
using testing::flat;
using testing::Operands;
using Gives = PackedWeights::Gives;

/// Both packed forms of one direction's recurrent weight.
struct Packed {
  Packed(Runtime& runtime, GruReset reset, MatrixView<const float> u, Gives gives)
      : recurrent(runtime, reset == GruReset::after ? u : u.rows_at(0, 2 * u.cols()), gives),
        candidate(runtime, u.rows_at(2 * u.cols(), u.cols()), gives),
        needs_candidate(reset == GruReset::before) {}

  GruWeights weights() const { return {&recurrent, needs_candidate ? &candidate : nullptr}; }

  PackedWeights recurrent, candidate;
  bool needs_candidate;
};

void copy(MatrixView<const float> from, MatrixView<float> to) {
  for (std::size_t r = 0; r < from.rows(); ++r) std::ranges::copy(from.row(r), to.row(r).begin());
}

// Inputs: the x-parts of two directions. Parameters: their recurrent weights and biases.
testing::Subject gru(GruReset reset, std::size_t width) {
  const testing::Operand weight{.name = "recurrent_weight",
                                .axis = Axis::fixed,
                                .cols = width,
                                .fixed_rows = 3 * width,
                                .deviation = 0.3};
  const testing::Operand bias{.name = "recurrent_bias", .axis = Axis::fixed, .cols = 3 * width};
  testing::Subject subject{
      .name = "gru, " + std::to_string(width) + " wide",
      .inputs = {{.name = "x", .cols = 3 * width}, {.name = "x reversed", .cols = 3 * width}},
      .parameters = {weight, bias, weight, bias},
      .outputs = {{.name = "out", .cols = width}, {.name = "out reversed", .cols = width}},
      .run = [reset, width](Runtime& runtime, const Pass& pass, const Segments& segs,
                            const Operands<float>& o) {
        std::vector<GruForward> forward;
        std::vector<GruBackward> backward;
        const Arena::Scope scope(runtime.arena());
        std::vector<Packed> packed;
        packed.reserve(4);
        for (const std::size_t d : {0u, 1u}) {
          const auto gates = runtime.arena().matrix(segs.total(), 3 * width);
          const auto hidden = reset == GruReset::after ? runtime.arena().matrix(segs.total(), width)
                                                       : MatrixView<float>();
          copy(o.inputs[d], gates);
          const MatrixView<const float> u = o.parameters[2 * d];
          packed.emplace_back(runtime, reset, u, Gives::outputs);
          forward.push_back({.reversed = d == 1,
                             .weights = packed.back().weights(),
                             .recurrent_bias = flat(o.parameters[2 * d + 1]),
                             .gates = gates,
                             .hidden = hidden,
                             .out = o.outputs[d]});
          packed.emplace_back(runtime, reset, u, Gives::inputs);
          backward.push_back({.reversed = d == 1,
                              .weights = packed.back().weights(),
                              .d_out = o.d_outputs[d],
                              .gates = gates,
                              .hidden = hidden,
                              .out = o.outputs[d],
                              .d_gates = o.d_inputs[d],
                              .d_recurrent_weight = o.d_parameters[2 * d],
                              .d_recurrent_bias = flat(o.d_parameters[2 * d + 1])});
        }
        gru_forward(runtime, pass, reset, segs, forward);
        gru_backward(runtime, pass, reset, segs, backward);
      }};
  subject.set_reference(
      [reset, width]<class Real>(const Pass& pass, const Segments& segs, const Operands<Real>& o) {
        const Shards shards = pass.shards != nullptr ? *pass.shards : Shards(segs.total());
        for (const std::size_t d : {0u, 1u}) {
          Matrix<Real> gates(segs.total(), 3 * width), hidden(segs.total(), width);
          for (std::size_t t = 0; t < segs.total(); ++t) {
            std::ranges::copy(o.inputs[d].row(t), gates.row(t).begin());
          }
          reference::gru_forward<Real>(reset, d == 1, segs, o.parameters[2 * d],
                                       flat(o.parameters[2 * d + 1]), gates.view(), hidden.view(),
                                       o.outputs[d]);
          reference::gru_backward<Real>(reset, d == 1, segs, shards, o.parameters[2 * d],
                                        o.d_outputs[d], std::as_const(gates).view(),
                                        std::as_const(hidden).view(), o.outputs[d], o.d_inputs[d],
                                        o.d_parameters[2 * d], flat(o.d_parameters[2 * d + 1]));
        }
      });
  return subject;
}

TEST(Gru, KeepsTheContractWithTheResetAfter) {
  // No multiple of any lane count; less than a vector; whole vectors; a rest of a few lanes.
  for (const std::size_t width : {19u, 1u, 32u, 50u}) {
    expect_contract(gru(GruReset::after, width));
  }
}

TEST(Gru, KeepsTheContractWithTheResetBefore) {
  for (const std::size_t width : {19u, 1u, 32u, 50u}) {
    expect_contract(gru(GruReset::before, width));
  }
}

Segments lengths(const std::vector<std::size_t>& values) {
  return Segments::from_lengths(std::span(values));
}

/// One unit with one input: x_r = w_r x + b_r and so on.
struct Unit {
  double w[3], b[3];  // r, z, n
  double u[3], c[3];
};

/// What the unit makes of x, in double by the reference and in float by the op; both have to agree
/// to float's precision. The reference's numbers are returned.
std::vector<double> run_unit(const Unit& unit, GruReset reset, bool reversed,
                             const std::vector<double>& x, const Segments& segs) {
  std::vector<double> gates, hidden(x.size()), out(x.size());
  for (const double cell : x) {
    for (std::size_t g = 0; g < 3; ++g) gates.push_back(unit.w[g] * cell + unit.b[g]);
  }
  const std::vector<float> inputs(gates.begin(), gates.end());
  reference::gru_forward<double>(reset, reversed, segs, {unit.u, 3, 1}, unit.c,
                                 {gates.data(), x.size(), 3}, {hidden.data(), x.size(), 1},
                                 {out.data(), x.size(), 1});

  const std::vector<float> u(std::begin(unit.u), std::end(unit.u));
  const std::vector<float> c(std::begin(unit.c), std::end(unit.c));
  testing::for_each_runtime([&](Runtime& runtime) {
    const Packed packed(runtime, reset, {u.data(), 3, 1}, Gives::outputs);
    std::vector<float> cells = inputs, result(x.size());
    const GruForward direction{.reversed = reversed,
                               .weights = packed.weights(),
                               .recurrent_bias = c,
                               .gates = {cells.data(), x.size(), 3},
                               .hidden = {},
                               .out = {result.data(), x.size(), 1}};
    gru_forward(runtime, {}, reset, segs, std::span(&direction, 1));
    for (std::size_t t = 0; t < x.size(); ++t) {
      EXPECT_NEAR(result[t], out[t], 4 * std::numeric_limits<float>::epsilon());
    }
  });
  return out;
}

void expect_near(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-9) << i;
}

constexpr Unit kUnit = {
    .w = {-0.3, 0.5, 0.8}, .b = {0.2, 0.1, 0.3}, .u = {0.7, 0.2, -0.6}, .c = {0.4, -0.1, 0.25}};

// With z = 0 and r = 1 the unit is h = tanh(0.5 x + 0.8 h + 0.1), in both conventions.
TEST(Gru, TheReversedDirectionStartsAtTheOwnLastRow) {
  constexpr Unit kPlain = {
      .w = {0, 0, 0.5}, .b = {1000, -1000, 0.1}, .u = {0, 0, 0.8}, .c = {0, 0, 0}};
  for (const GruReset reset : {GruReset::after, GruReset::before}) {
    // The neighbour is longer, so that a reversal inside the longest length would show.
    const Segments segs = lengths({2, 4});
    const std::vector<double> x = {1, 2, 9, 9, 9, 9};
    const auto forward = run_unit(kPlain, reset, false, x, segs);
    const auto reversed = run_unit(kPlain, reset, true, x, segs);
    expect_near({forward[0], forward[1]}, {0.537049566998, 0.910362908647});
    expect_near({reversed[0], reversed[1]}, {0.845569416039, 0.800499021761});
  }
}

TEST(Gru, TheTwoConventionsAreTwoFunctions) {
  // One step from h = 0.5, with both conventions' elementwise parts.
  const double h = 0.5, x = 1;
  const auto step = [&](GruReset reset) {
    double gates[3], recurrent[3], reset_state = 0, state = h, out = 0;
    for (std::size_t g = 0; g < 3; ++g) {
      gates[g] = kUnit.w[g] * x + kUnit.b[g];
      recurrent[g] = kUnit.u[g] * h + kUnit.c[g];
    }
    reference::gru_gates(gates, recurrent, &state, 1, &reset_state);
    EXPECT_NEAR(gates[0], 0.657010462673, 1e-9);
    EXPECT_NEAR(gates[1], 0.645656306226, 1e-9);
    if (reset == GruReset::before) recurrent[2] = kUnit.u[2] * reset_state + kUnit.c[2];
    reference::gru_candidate(gates, &recurrent[2], reset == GruReset::after, 1, &state, &out);
    return out;
  };
  EXPECT_NEAR(step(GruReset::after), 0.602187358036, 1e-9);
  EXPECT_NEAR(step(GruReset::before), 0.612933401107, 1e-9);
}

// The same two numbers from a sequence: its first row is made to leave h = 0.5.
TEST(Gru, TheTwoConventionsDifferFromTheSecondRowOn) {
  for (const auto& [reset, expected] :
       {std::pair{GruReset::after, 0.602187358036}, std::pair{GruReset::before, 0.612933401107}}) {
    const std::vector<float> u(std::begin(kUnit.u), std::end(kUnit.u));
    const std::vector<float> c(std::begin(kUnit.c), std::end(kUnit.c));
    testing::for_each_runtime([&, reset = reset, expected = expected](Runtime& runtime) {
      const Packed packed(runtime, reset, {u.data(), 3, 1}, Gives::outputs);
      // r = 0 and z = 0, so that h = tanh(x_n + (before: c_n)); the x-parts of row 1 are those of
      // the unit at x = 1.
      const double shift = reset == GruReset::before ? kUnit.c[2] : 0;
      std::vector<float> gates = {-1000,
                                  -1000,
                                  static_cast<float>(std::atanh(0.5) - shift),
                                  static_cast<float>(kUnit.w[0] + kUnit.b[0]),
                                  static_cast<float>(kUnit.w[1] + kUnit.b[1]),
                                  static_cast<float>(kUnit.w[2] + kUnit.b[2])};
      std::vector<float> out(2);
      const GruForward direction{.weights = packed.weights(),
                                 .recurrent_bias = c,
                                 .gates = {gates.data(), 2, 3},
                                 .hidden = {},
                                 .out = {out.data(), 2, 1}};
      gru_forward(runtime, {}, reset, lengths({2}), std::span(&direction, 1));
      EXPECT_NEAR(out[1], expected, 4 * std::numeric_limits<float>::epsilon());
    });
  }
}

TEST(Gru, AnEmptySequenceIsLegalAndChangesNothing) {
  const std::vector<double> x = {1, 2, 3, -1, 0.5};
  const auto out = run_unit(kUnit, GruReset::after, false, x, lengths({3, 0, 2}));
  expect_near(out,
              {0.319581465826, 0.483612444931, 0.569015152683, -0.193928053237, 0.215832586536});
  EXPECT_EQ(out, run_unit(kUnit, GruReset::after, false, x, lengths({3, 2})));
}

// Before the first row there is no h to multiply: not even infinity reaches that row.
TEST(Gru, TheFirstRowDoesNotReadTheRecurrentWeight) {
  constexpr double kFar = std::numeric_limits<double>::infinity();
  Unit unit = kUnit;
  std::ranges::fill(unit.u, kFar);
  for (const GruReset reset : {GruReset::after, GruReset::before}) {
    const auto out = run_unit(unit, reset, false, {1, 2}, lengths({1, 1}));
    EXPECT_EQ(out, run_unit(kUnit, reset, false, {1, 2}, lengths({1, 1})));
  }
}

// More sequences than one group takes, in both directions, into the halves of one matrix.
TEST(Gru, ManySequencesGiveTheBitsOfEachAlone) {
  constexpr std::size_t kWidth = 21;
  Rng rng(3);
  std::vector<std::size_t> counts(150);
  for (std::size_t& count : counts) count = rng.below(9);
  const Segments segs = lengths(counts);
  const Matrix<float> x = rng.normal(segs.total(), 3 * kWidth, 1);
  const Matrix<float> u = rng.normal(3 * kWidth, kWidth, 0.3);
  const Matrix<float> c = rng.normal(1, 3 * kWidth, 1);
  for (const GruReset reset : {GruReset::after, GruReset::before}) {
    Matrix<float> expected(segs.total(), 2 * kWidth);
    for (const std::size_t d : {0u, 1u}) {
      Matrix<float> gates = x, hidden(segs.total(), kWidth);
      reference::gru_forward<float>(reset, d == 1, segs, u.view(), c.cells(), gates.view(),
                                    hidden.view(), expected.view().cols_at(d * kWidth, kWidth));
    }
    testing::for_each_runtime([&](Runtime& runtime) {
      const Packed packed(runtime, reset, u.view(), Gives::outputs);
      Matrix<float> gates[] = {x, x};
      Matrix<float> out(segs.total(), 2 * kWidth);
      std::vector<GruForward> directions;
      for (const std::size_t d : {0u, 1u}) {
        directions.push_back({.reversed = d == 1,
                              .weights = packed.weights(),
                              .recurrent_bias = c.cells(),
                              .gates = gates[d].view(),
                              .hidden = {},
                              .out = out.view().cols_at(d * kWidth, kWidth)});
      }
      gru_forward(runtime, {}, reset, segs, directions);
      testing::expect_same_bits(out.cells(), expected.cells());
    });
  }
}

TEST(Gru, RefusesShapesThatDoNotFit) {
  Runtime runtime;
  Matrix<float> gates(3, 6), out(3, 2), d_weight(6, 2), c(1, 6);
  const Packed packed(runtime, GruReset::after, Matrix<float>(6, 2).view(), Gives::outputs);
  GruForward direction{.weights = packed.weights(),
                       .recurrent_bias = c.cells(),
                       .gates = gates.view(),
                       .hidden = {},
                       .out = out.view()};
  const auto forward = [&] {
    gru_forward(runtime, {}, GruReset::after, lengths({3}), std::span(&direction, 1));
  };
  direction.gates = out.view();
  EXPECT_EQ(testing::refusal<ShapeError>(forward), "gru_forward: gates is [3, 2], expected [3, 6]");
  direction.gates = gates.view();
  direction.weights.recurrent = &packed.candidate;
  EXPECT_EQ(testing::refusal<ShapeError>(forward),
            "gru_forward: packed weights take rows of 2 and give 2, expected 2 and 6");
  direction.weights.recurrent = nullptr;
  EXPECT_EQ(testing::refusal<ShapeError>(forward),
            "gru_forward: packed weights are missing, expected 2 numbers in and 6 out");

  const Packed inputs(runtime, GruReset::after, Matrix<float>(6, 2).view(), Gives::inputs);
  const GruBackward backward{.weights = inputs.weights(),
                             .d_out = out.view(),
                             .gates = gates.view(),
                             .hidden = {},
                             .out = out.view(),
                             .d_gates = gates.view(),
                             .d_recurrent_weight = d_weight.view(),
                             .d_recurrent_bias = c.cells()};
  EXPECT_EQ(testing::refusal<ShapeError>([&] {
              gru_backward(runtime, {}, GruReset::after, lengths({3}), std::span(&backward, 1));
            }),
            "gru_backward: hidden is [0, 0], expected [3, 2]");
}

}  // namespace
}  // namespace padless
