#include "padless/train/optimizer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "padless/core/error.h"
#include "padless/core/rng.h"
#include "padless/testing/bits.h"
#include "padless/testing/contract.h"

namespace padless {
namespace {

constexpr float kRate = 0.05f;

/// Two parameters, and gradients that depend on the step's number alone.
struct Model {
  Parameter weight = Parameter(Rng(1).normal(30, 200, 1));
  Parameter bias = Parameter(Rng(2).normal(1, 30, 1));
  std::vector<Parameter*> list = {&weight, &bias};

  Model() = default;
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  void set_gradients(std::uint64_t step) {
    Rng rng(100 + step);
    weight.gradient = rng.normal(30, 200, 0.3);
    bias.gradient = rng.normal(1, 30, 0.3);
  }
};

void expect_same_model(const Model& found, const Model& expected) {
  testing::expect_same_bits(found.weight.value.cells(), expected.weight.value.cells());
  testing::expect_same_bits(found.bias.value.cells(), expected.bias.value.cells());
}

void train(Runtime& runtime, Model& model, AdamW& optimizer, std::uint64_t from, std::uint64_t to) {
  for (std::uint64_t step = from; step < to; ++step) {
    model.set_gradients(step);
    EXPECT_TRUE(optimizer.step(runtime, model.list, kRate, 1).taken);
  }
}

TEST(AdamWOptimizer, GivesTheSameBitsOnEveryInstructionSetAndAnyNumberOfThreads) {
  Model expected;
  AdamW first({}, expected.list);
  Runtime plain({.threads = 1, .isa = Isa::scalar});
  train(plain, expected, first, 0, 5);
  testing::for_each_runtime([&](Runtime& runtime) {
    Model found;
    AdamW optimizer({}, found.list);
    train(runtime, found, optimizer, 0, 5);
    expect_same_model(found, expected);
  });
}

// The first step's moments are the gradient and its square: each value moves by the learning rate
// against the sign of its gradient.
TEST(AdamWOptimizer, FirstMovesByTheLearningRate) {
  Runtime runtime;
  Parameter parameter(1, 3);
  Parameter* const list[] = {&parameter};
  parameter.gradient(0, 0) = 5;
  parameter.gradient(0, 1) = -1e-3f;
  AdamW optimizer({.decay = 0}, list);
  const AdamW::Step step = optimizer.step(runtime, list, kRate, std::nullopt);
  EXPECT_TRUE(step.taken);
  EXPECT_NEAR(step.norm, 5, 1e-6);
  EXPECT_NEAR(parameter.value(0, 0), -kRate, 1e-6);
  EXPECT_NEAR(parameter.value(0, 1), kRate, 1e-6);
  EXPECT_EQ(parameter.value(0, 2), 0);
  EXPECT_EQ(parameter.version, 1u);
  EXPECT_EQ(parameter.gradient(0, 0), 0);
}

TEST(AdamWOptimizer, FindsTheMinimumOfAParabola) {
  Runtime runtime;
  Parameter parameter(1, 2);
  Parameter* const list[] = {&parameter};
  AdamW optimizer({.decay = 0}, list);
  for (int i = 0; i < 2000; ++i) {
    parameter.gradient(0, 0) = parameter.value(0, 0) - 1;
    parameter.gradient(0, 1) = 100 * (parameter.value(0, 1) + 2);
    optimizer.step(runtime, list, 0.01f * (1 - static_cast<float>(i) / 2000), std::nullopt);
  }
  EXPECT_NEAR(parameter.value(0, 0), 1, 1e-4);
  EXPECT_NEAR(parameter.value(0, 1), -2, 1e-4);
}

TEST(AdamWOptimizer, DecaysWithoutAGradient) {
  Runtime runtime;
  Parameter parameter(1, 1);
  parameter.value(0, 0) = 2;
  Parameter* const list[] = {&parameter};
  AdamW optimizer({.decay = 0.5f}, list);
  optimizer.step(runtime, list, 0.25f, std::nullopt);
  EXPECT_EQ(parameter.value(0, 0), 2 * (1 - 0.25f * 0.5f));
}

// Clipped gradients are those that were small from the start.
TEST(AdamWOptimizer, ClipsByTheNormOfAllParameters) {
  Runtime runtime;
  Model large, small, untouched;
  AdamW a({}, large.list), b({}, small.list), c({}, untouched.list);
  large.set_gradients(0);
  small.set_gradients(0);
  untouched.set_gradients(0);
  for (Parameter* parameter : small.list) {
    for (float& cell : parameter->gradient.cells()) cell *= 0.25f;
  }
  const double norm = c.step(runtime, untouched.list, kRate, 1e9).norm;
  EXPECT_EQ(a.step(runtime, large.list, kRate, norm / 4).norm, norm);
  b.step(runtime, small.list, kRate, norm);
  std::map<std::string, Matrix<float>> of_large;
  a.for_each_state([&](const std::string& name, Matrix<float>& state) { of_large[name] = state; });
  b.for_each_state([&](const std::string& name, Matrix<float>& state) {
    testing::expect_same_bits(of_large[name].cells(), state.cells(), name);
  });
  expect_same_model(large, small);
}

TEST(AdamWOptimizer, DoesNotTakeAStepThatWouldPoisonTheWeights) {
  for (const float wrong :
       {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity(),
        std::numeric_limits<float>::max()}) {
    for (const std::optional<double> max_norm : {std::optional<double>(), std::optional(1.0)}) {
      Runtime runtime;
      Model model, expected;
      AdamW optimizer({}, model.list), plain({}, expected.list);
      train(runtime, model, optimizer, 0, 2);
      train(runtime, expected, plain, 0, 2);
      model.set_gradients(9);
      model.bias.gradient(0, 29) = wrong;
      const AdamW::Step step = optimizer.step(runtime, model.list, kRate, max_norm);
      EXPECT_FALSE(step.taken);
      EXPECT_FALSE(step.norm <= AdamW::kLargestNorm);
      EXPECT_EQ(model.weight.version, 2u);
      EXPECT_EQ(model.weight.gradient(0, 0), 0);
      EXPECT_EQ(model.bias.gradient(0, 29), 0);
      expect_same_model(model, expected);
      train(runtime, model, optimizer, 2, 4);
      train(runtime, expected, plain, 2, 4);
      expect_same_model(model, expected);
    }
  }
}

TEST(AdamWOptimizer, ContinuesFromItsStateToTheSameBits) {
  Runtime runtime;
  Model whole;
  AdamW straight({}, whole.list);
  train(runtime, whole, straight, 0, 6);

  Model first;
  AdamW before({}, first.list);
  train(runtime, first, before, 0, 3);
  std::map<std::string, Matrix<float>> saved;
  before.for_each_state(
      [&](const std::string& name, const Matrix<float>& state) { saved[name] = state; });
  EXPECT_EQ(saved.size(), 4u);

  Model second;
  second.weight.value = first.weight.value;
  second.bias.value = first.bias.value;
  AdamW after({}, second.list);
  after.for_each_state([&](const std::string& name, Matrix<float>& state) { state = saved[name]; });
  after.set_progress(before.progress());
  train(runtime, second, after, 3, 6);
  expect_same_model(second, whole);
  EXPECT_EQ(after.progress().steps, 6u);
  EXPECT_NEAR(after.progress().beta1_power, std::pow(0.9f, 6), 1e-7);
  EXPECT_NEAR(after.progress().beta2_power, std::pow(0.999f, 6), 1e-7);
}

TEST(AdamWOptimizer, RefusesNumbersThatTrainNothing) {
  Runtime runtime;
  Model model;
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  for (const AdamW::Options& wrong :
       {AdamW::Options{.beta1 = 1}, AdamW::Options{.beta2 = -0.1f}, AdamW::Options{.beta2 = kNaN},
        AdamW::Options{.epsilon = 0}, AdamW::Options{.decay = -1}}) {
    EXPECT_THROW(AdamW(wrong, model.list), ValueError);
  }
  AdamW optimizer({}, model.list);
  EXPECT_THROW(optimizer.step(runtime, model.list, -1, 1), ValueError);
  EXPECT_THROW(optimizer.step(runtime, model.list, kNaN, 1), ValueError);
  EXPECT_THROW(optimizer.step(runtime, model.list, kRate, 0), ValueError);
  EXPECT_THROW(optimizer.step(runtime, std::span(model.list).first(1), kRate, 1), ShapeError);
  EXPECT_THROW(optimizer.set_progress({.steps = 1}), ValueError);
  EXPECT_THROW(optimizer.set_progress({.steps = 1, .beta1_power = kNaN, .beta2_power = 0.9}),
               ValueError);
}

}  // namespace
}  // namespace padless
