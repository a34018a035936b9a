#include "padless/ops/activation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "padless/reference/activation.h"
#include "padless/testing/bits.h"
#include "padless/testing/contract.h"
#include "padless/testing/refusal.h"

namespace padless {
namespace {

using testing::Operands;
using testing::refusal;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

constexpr Activation kKinds[] = {Activation::relu, Activation::gelu, Activation::gelu_tanh,
                                 Activation::silu, Activation::tanh, Activation::sigmoid};

/// x is drawn with this deviation: near 0 and where the functions are straight.
testing::Subject activation(Activation kind, std::size_t width, double deviation) {
  testing::Subject subject{
      .name = "activation " + std::to_string(static_cast<int>(kind)),
      .inputs = {{.name = "x", .cols = width, .deviation = deviation}},
      .outputs = {{.name = "y", .cols = width}},
      .run = [kind](Runtime& runtime, const Pass& pass, const Segments&, const Operands<float>& o) {
        activation_forward(runtime, pass, kind, o.inputs[0], o.outputs[0]);
        activation_backward(runtime, pass, kind, o.d_outputs[0], o.inputs[0], o.d_inputs[0]);
      }};
  subject.set_reference([kind]<class Real>(const Pass&, const Segments&, const Operands<Real>& o) {
    reference::activation_forward<Real>(kind, o.inputs[0], o.outputs[0]);
    reference::activation_backward<Real>(kind, o.d_outputs[0], o.inputs[0], o.d_inputs[0]);
  });
  return subject;
}

TEST(Activation, KeepsTheContract) {
  for (const Activation kind : kKinds) {
    expect_contract(activation(kind, 19, 1));
    expect_contract(activation(kind, 1, 1));
    expect_contract(activation(kind, 50, 4));
  }
}

std::vector<float> values(Runtime& runtime, Activation kind, const std::vector<float>& x) {
  std::vector<float> y(x.size());
  activation_forward(runtime, {}, kind, {x.data(), 1, x.size()}, {y.data(), 1, y.size()});
  return y;
}

std::vector<float> slopes(Runtime& runtime, Activation kind, const std::vector<float>& x) {
  const std::vector<float> ones(x.size(), 1);
  std::vector<float> d_x(x.size());
  activation_backward(runtime, {}, kind, {ones.data(), 1, x.size()}, {x.data(), 1, x.size()},
                      {d_x.data(), 1, x.size()});
  return d_x;
}

void expect_near(const std::vector<float>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    // A few last places; expected numbers have fifteen digits.
    EXPECT_NEAR(found[i], expected[i], 4e-7 * std::fabs(expected[i])) << i;
  }
}

// By mpmath, 50 digits.
TEST(Activation, GivesWhatTheFormulasSay) {
  const std::vector<float> x = {-10, -3, -1, -0.5f, 0.5f, 1, 3};
  testing::for_each_runtime([&](Runtime& runtime) {
    expect_near(values(runtime, Activation::gelu, x),
                {-7.61985302416053e-23, -0.00404969409489028, -0.158655253931457,
                 -0.154268769362993, 0.345731230637007, 0.841344746068543, 2.99595030590511});
    expect_near(values(runtime, Activation::gelu_tanh, {-3, -1, -0.5f, 0.5f, 1, 3}),
                {-0.00363739208177302, -0.158808009391723, -0.154285990174856, 0.345714009825144,
                 0.841191990608277, 2.99636260791823});
    expect_near(values(runtime, Activation::silu, x),
                {-0.000453978687024344, -0.1422776195327, -0.268941421369995, -0.188770334399073,
                 0.311229665600927, 0.731058578630005, 2.8577223804673});
    expect_near(slopes(runtime, Activation::gelu, {-3, -0.5f, 0.5f, 1}),
                {-0.0119456472041839, 0.132504875343837, 0.867495124656163, 1.08331547058769});
    EXPECT_EQ(values(runtime, Activation::relu, {-2, 0, 3}), (std::vector<float>{0, 0, 3}));
    EXPECT_EQ(slopes(runtime, Activation::relu, {-2, 0, 3}), (std::vector<float>{0, 0, 1}));
  });
}

TEST(Activation, EndsWithItsLimits) {
  constexpr float kMost = std::numeric_limits<float>::max();
  testing::for_each_runtime([&](Runtime& runtime) {
    for (const Activation kind : {Activation::gelu, Activation::gelu_tanh, Activation::silu}) {
      SCOPED_TRACE(static_cast<int>(kind));
      testing::expect_same_bits(values(runtime, kind, {kInfinity, kMost, 200, -200, -kMost}),
                                std::vector<float>{kInfinity, kMost, 200, -0.0f, -0.0f});
      testing::expect_same_bits(values(runtime, kind, {-kInfinity}), std::vector<float>{kNaN});
    }
    for (const Activation kind :
         {Activation::relu, Activation::gelu, Activation::gelu_tanh, Activation::silu}) {
      SCOPED_TRACE(static_cast<int>(kind));
      EXPECT_EQ(slopes(runtime, kind, {kInfinity, kMost, 200, -200, -kMost, -kInfinity}),
                (std::vector<float>{1, 1, 1, 0, 0, 0}));
    }
    for (const Activation kind : {Activation::tanh, Activation::sigmoid}) {
      EXPECT_EQ(slopes(runtime, kind, {kInfinity, kMost, 200, -200, -kMost, -kInfinity}),
                std::vector<float>(6));
    }
    EXPECT_EQ(values(runtime, Activation::relu, {kInfinity, -kInfinity}),
              (std::vector<float>{kInfinity, 0}));
    EXPECT_EQ(values(runtime, Activation::tanh, {kInfinity, -kInfinity}),
              (std::vector<float>{1, -1}));
    EXPECT_EQ(values(runtime, Activation::sigmoid, {kInfinity, -kInfinity}),
              (std::vector<float>{1, 0}));
  });
}

TEST(Activation, ANaNStaysANaN) {
  testing::for_each_runtime([&](Runtime& runtime) {
    for (const Activation kind : kKinds) {
      testing::expect_same_bits(values(runtime, kind, {kNaN}), std::vector<float>{kNaN});
      if (kind == Activation::relu) continue;  // its derivative is a number on either side
      testing::expect_same_bits(slopes(runtime, kind, {kNaN}), std::vector<float>{kNaN});
    }
  });
}

// A subnormal number slows a machine down.
TEST(Activation, MakesASubnormalNumberOfANormalOneAsHalfOfItAndInSigmoidsTailAlone) {
  constexpr float kLeast = std::numeric_limits<float>::min();
  std::vector<float> x(200000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = -100 + static_cast<float>(i) * 1e-3f;
  for (int i = 0; i < 64; ++i) {  // from the least normal number to 8 times that
    const float near =
        kLeast * (1 + static_cast<float>(i % 8) / 8) * static_cast<float>(1 << i / 16);
    x.push_back(near);
    x.push_back(-near);
  }
  testing::for_each_runtime([&](Runtime& runtime) {
    for (const Activation kind : kKinds) {
      const bool halves =
          kind == Activation::gelu || kind == Activation::gelu_tanh || kind == Activation::silu;
      const std::vector<float> y = values(runtime, kind, x), slope = slopes(runtime, kind, x);
      for (std::size_t i = 0; i < x.size(); ++i) {
        const bool half = halves && std::fabs(x[i]) < 2 * kLeast;
        const bool tail = kind == Activation::sigmoid && x[i] > -88.7225f && x[i] < -87.3365f;
        ASSERT_EQ(std::fpclassify(y[i]) == FP_SUBNORMAL, half || tail)
            << "kind " << static_cast<int>(kind) << " at " << x[i];
        ASSERT_NE(std::fpclassify(slope[i]), FP_SUBNORMAL)
            << "slope of kind " << static_cast<int>(kind) << " at " << x[i];
      }
    }
  });
}

TEST(Activation, MayWriteOverWhatItReads) {
  std::vector<float> x(std::size_t{21} * 70), d_y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = (static_cast<float>(i * i % 371) - 185) / 40;
    d_y[i] = static_cast<float>(i * 7 % 23) - 9;
  }
  const auto rows = [](auto& cells) { return MatrixView(cells.data(), 70, 21); };
  testing::for_each_runtime([&](Runtime& runtime) {
    for (const Activation kind : kKinds) {
      std::vector<float> y(x.size()), d_x(x.size());
      activation_forward(runtime, {}, kind, rows(x), rows(y));
      activation_backward(runtime, {}, kind, rows(d_y), rows(x), rows(d_x));
      std::vector<float> over_x = x, over_d_y = d_y, also_over_x = x;
      activation_forward(runtime, {}, kind, rows(over_x), rows(over_x));
      testing::expect_same_bits(over_x, y);
      activation_backward(runtime, {}, kind, rows(over_d_y), rows(x), rows(over_d_y));
      testing::expect_same_bits(over_d_y, d_x);
      activation_backward(runtime, {}, kind, rows(d_y), rows(also_over_x), rows(also_over_x));
      testing::expect_same_bits(also_over_x, d_x);
      if (kind != Activation::relu) continue;
      std::vector<float> from_y(x.size());
      activation_backward(runtime, {}, kind, rows(d_y), rows(y), rows(from_y));
      testing::expect_same_bits(from_y, d_x);
    }
  });
}

TEST(Activation, RefusesShapesThatDoNotFit) {
  Runtime runtime;
  std::vector<float> cells(12);
  const MatrixView<float> x(cells.data(), 3, 2), narrow(cells.data(), 3, 1);
  EXPECT_EQ(refusal([&] { activation_forward(runtime, {}, Activation::gelu, x, narrow); }),
            "activation_forward: y is [3, 1], expected [3, 2]");
  EXPECT_EQ(refusal([&] { activation_backward(runtime, {}, Activation::gelu, narrow, x, x); }),
            "activation_backward: d_y is [3, 1], expected [3, 2]");
  EXPECT_EQ(refusal([&] { activation_backward(runtime, {}, Activation::gelu, x, x, narrow); }),
            "activation_backward: d_x is [3, 1], expected [3, 2]");
}

}  // namespace
}  // namespace padless
