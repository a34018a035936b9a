#include "padless/ops/adamw.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "padless/core/error.h"
#include "padless/core/rng.h"
#include "padless/reference/adamw.h"
#include "padless/testing/bits.h"
#include "padless/testing/contract.h"
#include "padless/testing/refusal.h"

namespace padless {
namespace {

// Less than a vector, a lane group and a rest, more than one chunk with a rest, nothing.
constexpr std::pair<std::size_t, std::size_t> kShapes[] = {{1, 3}, {7, 19}, {70, 131}, {0, 5}};

constexpr AdamWStep kStep = {.learning_rate = 0.01,
                             .beta1 = 0.9f,
                             .beta2 = 0.999f,
                             .epsilon = 1e-8f,
                             .decay = 0.1f,
                             .beta1_power = 0.729,
                             .beta2_power = 0.997,
                             .gradient_scale = 0.3};

struct Model {
  std::vector<Parameter> parameters;
  std::vector<Matrix<float>> first, second;
  std::vector<Parameter*> list;

  explicit Model(std::uint64_t seed) {
    Rng rng(seed);
    for (const auto& [rows, cols] : kShapes) {
      Parameter& parameter = parameters.emplace_back(rng.normal(rows, cols, 1));
      parameter.gradient = rng.normal(rows, cols, 3);
      first.push_back(rng.normal(rows, cols, 1));
      second.push_back(rng.normal(rows, cols, 1));
      for (float& cell : second.back().cells()) cell *= cell;
    }
    for (Parameter& parameter : parameters) list.push_back(&parameter);
  }
};

TEST(AdamW, HasTheReferencesBitsOnEveryInstructionSet) {
  Model expected(1);
  const reference::AdamWNumbers<float> numbers(kStep);
  for (std::size_t p = 0; p < expected.list.size(); ++p) {
    Parameter& parameter = expected.parameters[p];
    reference::adamw(numbers, parameter.value.cells().size(), parameter.value.data(),
                     parameter.gradient.data(), expected.first[p].data(),
                     expected.second[p].data());
  }
  testing::for_each_runtime([&](Runtime& runtime) {
    Model found(1);
    adamw_update(runtime, kStep, found.list, found.first, found.second);
    for (std::size_t p = 0; p < found.list.size(); ++p) {
      testing::expect_same_bits(found.list[p]->value.cells(), expected.list[p]->value.cells());
      testing::expect_same_bits(found.first[p].cells(), expected.first[p].cells());
      testing::expect_same_bits(found.second[p].cells(), expected.second[p].cells());
      testing::expect_same_bits(found.list[p]->gradient.cells(),
                                std::vector<float>(found.list[p]->value.cells().size()));
      EXPECT_EQ(found.list[p]->version, 1u);
    }
  });
}

// Algorithm 2 of the paper, written down a second time.
TEST(AdamW, IsThePapersStep) {
  const double beta1 = kStep.beta1, beta2 = kStep.beta2;
  Rng rng(3);
  for (int i = 0; i < 1000; ++i) {
    const double value = rng.normal(), gradient = rng.normal(), m = rng.normal();
    const double v = rng.uniform();
    const double g = gradient * kStep.gradient_scale;
    const double m_hat = (beta1 * m + (1 - beta1) * g) / (1 - kStep.beta1_power);
    const double v_hat = (beta2 * v + (1 - beta2) * g * g) / (1 - kStep.beta2_power);
    const double expected =
        value -
        kStep.learning_rate * (m_hat / (std::sqrt(v_hat) + kStep.epsilon) + kStep.decay * value);
    double found = value, zeroed = gradient, first = m, second = v;
    reference::adamw(reference::AdamWNumbers<double>(kStep), 1, &found, &zeroed, &first, &second);
    EXPECT_NEAR(found, expected, 1e-14);
    EXPECT_EQ(zeroed, 0);
  }
}

TEST(AdamW, IsAsCloseToTheTruthAsAFloatCanBe) {
  double squares = 0;
  constexpr int kDraws = 4000;
  Rng rng(4);
  for (int i = 0; i < kDraws; ++i) {
    float value = static_cast<float>(rng.normal()), gradient = static_cast<float>(rng.normal());
    float first = static_cast<float>(rng.normal()), second = static_cast<float>(rng.uniform());
    double true_value = value, true_gradient = gradient, true_first = first, true_second = second;
    reference::adamw(reference::AdamWNumbers<float>(kStep), 1, &value, &gradient, &first, &second);
    reference::adamw(reference::AdamWNumbers<double>(kStep), 1, &true_value, &true_gradient,
                     &true_first, &true_second);
    squares += (value - true_value) * (value - true_value);
  }
  // Values are about 1: a unit in the last place of such a float.
  EXPECT_LT(std::sqrt(squares / kDraws), std::numeric_limits<float>::epsilon());
}

TEST(AdamW, RefusesShapesThatDoNotFit) {
  Runtime runtime;
  Model model(1);
  model.second[1] = Matrix<float>(7, 18);
  EXPECT_EQ(
      testing::refusal<ShapeError>(
          [&] { adamw_update(runtime, kStep, model.list, model.first, model.second); }),
      "adamw_update: the second moment of parameter 1 is [7, 18], expected [7, 19] as its value");
  model.second.pop_back();
  EXPECT_THROW(adamw_update(runtime, kStep, model.list, model.first, model.second), ShapeError);
}

TEST(GradientNorm, HasTheReferencesBitsForAnyNumberOfThreads) {
  const Model model(5);
  const double expected = reference::gradient_norm(model.list);
  double plain = 0;
  for (const Parameter* parameter : model.list) {
    for (const float cell : parameter->gradient.cells()) plain += double{cell} * cell;
  }
  EXPECT_NEAR(expected, std::sqrt(plain), 1e-12 * expected);
  testing::for_each_runtime(
      [&](Runtime& runtime) { EXPECT_EQ(gradient_norm(runtime, model.list), expected); });
}

// One by one, each chunk's 1 is lost beside 2^54; from the other end they would add up.
TEST(GradientNorm, AddsChunksInOrder) {
  Parameter parameter(40, reference::kNormChunk);
  Parameter* const list[] = {&parameter};
  for (std::size_t r = 0; r < 40; ++r) parameter.gradient(r, 0) = r == 0 ? 0x1p+27f : 1;
  testing::for_each_runtime(
      [&](Runtime& runtime) { EXPECT_EQ(gradient_norm(runtime, list), 0x1p+27); });
}

TEST(GradientNorm, HoldsTheLargestFloatsAndShowsWhatIsNotFinite) {
  Runtime runtime;
  EXPECT_EQ(gradient_norm(runtime, {}), 0);
  Parameter parameter(1, 40);
  Parameter* const list[] = {&parameter};
  fill(parameter.gradient.view(), std::numeric_limits<float>::max());
  EXPECT_TRUE(std::isfinite(gradient_norm(runtime, list)));
  for (const float wrong :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    for (const std::size_t place : {0u, 20u, 39u}) {
      parameter.gradient = Matrix<float>(1, 40);
      parameter.gradient(0, place) = wrong;
      EXPECT_FALSE(std::isfinite(gradient_norm(runtime, list)));
    }
  }
}

}  // namespace
}  // namespace padless
