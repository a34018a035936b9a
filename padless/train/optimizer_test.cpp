#include "padless/train/optimizer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
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

template <class Optimiser>
void train(Runtime& runtime, Model& model, Optimiser& optimizer, std::uint64_t from,
           std::uint64_t to) {
  for (std::uint64_t step = from; step < to; ++step) {
    model.set_gradients(step);
    EXPECT_TRUE(optimizer.step(runtime, model.list, kRate, 1).taken);
  }
}

template <class Optimiser>
class AnyOptimizer : public ::testing::Test {};
using Optimisers = ::testing::Types<AdamW, Sgd>;
TYPED_TEST_SUITE(AnyOptimizer, Optimisers);

TYPED_TEST(AnyOptimizer, GivesTheSameBitsOnEveryInstructionSetAndAnyNumberOfThreads) {
  Model expected;
  TypeParam first({}, expected.list);
  Runtime plain({.threads = 1, .isa = Isa::scalar});
  train(plain, expected, first, 0, 5);
  testing::for_each_runtime([&](Runtime& runtime) {
    Model found;
    TypeParam optimizer({}, found.list);
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
  const OptimizerStep step = optimizer.step(runtime, list, kRate, std::nullopt);
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
TYPED_TEST(AnyOptimizer, ClipsByTheNormOfAllParameters) {
  Runtime runtime;
  Model large, small, untouched;
  TypeParam a({}, large.list), b({}, small.list), c({}, untouched.list);
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

TYPED_TEST(AnyOptimizer, DoesNotTakeAStepThatWouldPoisonTheWeights) {
  for (const float wrong :
       {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity(),
        std::numeric_limits<float>::max()}) {
    for (const std::optional<double> max_norm : {std::optional<double>(), std::optional(1.0)}) {
      Runtime runtime;
      Model model, expected;
      TypeParam optimizer({}, model.list), plain({}, expected.list);
      train(runtime, model, optimizer, 0, 2);
      train(runtime, expected, plain, 0, 2);
      model.set_gradients(9);
      model.bias.gradient(0, 29) = wrong;
      const OptimizerStep step = optimizer.step(runtime, model.list, kRate, max_norm);
      EXPECT_FALSE(step.taken);
      EXPECT_FALSE(step.norm <= kLargestGradientNorm);
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

TYPED_TEST(AnyOptimizer, ContinuesFromItsStateToTheSameBits) {
  Runtime runtime;
  Model whole;
  TypeParam straight({}, whole.list);
  train(runtime, whole, straight, 0, 6);

  Model first;
  TypeParam before({}, first.list);
  train(runtime, first, before, 0, 3);
  std::map<std::string, Matrix<float>> saved;
  before.for_each_state(
      [&](const std::string& name, const Matrix<float>& state) { saved[name] = state; });
  EXPECT_EQ(saved.size(), (std::is_same_v<TypeParam, AdamW> ? 4u : 2u));

  Model second;
  second.weight.value = first.weight.value;
  second.bias.value = first.bias.value;
  TypeParam after({}, second.list);
  after.for_each_state([&](const std::string& name, Matrix<float>& state) { state = saved[name]; });
  if constexpr (std::is_same_v<TypeParam, AdamW>) after.set_progress(before.progress());
  train(runtime, second, after, 3, 6);
  expect_same_model(second, whole);
}

TEST(AdamWOptimizer, CountsItsSteps) {
  Runtime runtime;
  Model model;
  AdamW optimizer({}, model.list);
  train(runtime, model, optimizer, 0, 6);
  EXPECT_EQ(optimizer.progress().steps, 6u);
  EXPECT_NEAR(optimizer.progress().beta1_power, std::pow(0.9f, 6), 1e-7);
  EXPECT_NEAR(optimizer.progress().beta2_power, std::pow(0.999f, 6), 1e-7);
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

/// The value, from 1, after two steps with a gradient of 2 and a rate of 1/4.
float after_two_steps(const Sgd::Options& options, std::optional<double> max_norm = std::nullopt) {
  Runtime runtime;
  Parameter parameter(1, 1);
  parameter.value(0, 0) = 1;
  Parameter* const list[] = {&parameter};
  Sgd optimizer(options, list);
  for (int step = 0; step < 2; ++step) {
    parameter.gradient(0, 0) = 2;
    optimizer.step(runtime, list, 0.25f, max_norm);
  }
  return parameter.value(0, 0);
}

TEST(SgdOptimizer, MovesAlongItsVelocity) {
  // 1 - 2/4 - 2/4, without a memory.
  EXPECT_EQ(after_two_steps({.momentum = 0, .decay = 0}), 0);
  // The velocity is 2, then 3.
  EXPECT_EQ(after_two_steps({.momentum = 0.5f, .decay = 0}), 1 - 0.25f * (2 + 3));
  // A step is 2 + 2/2, then 2 + 3/2.
  EXPECT_EQ(after_two_steps({.momentum = 0.5f, .decay = 0, .nesterov = true}),
            1 - 0.25f * (3 + 3.5f));
  // The gradient is 2 + 1/2, to 1 - 5/8, then 2 + 3/16.
  EXPECT_EQ(after_two_steps({.momentum = 0, .decay = 0.5f}), 1 - 0.25f * (2.5f + 2.1875f));
  // Clipped to 1/2, in front of the decay.
  EXPECT_EQ(after_two_steps({.momentum = 0, .decay = 0}, 0.5), 1 - 0.25f * (0.5f + 0.5f));
}

TEST(SgdOptimizer, RefusesNumbersThatTrainNothing) {
  Runtime runtime;
  Model model;
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  for (const Sgd::Options& wrong : {Sgd::Options{.momentum = 1}, Sgd::Options{.momentum = -0.5f},
                                    Sgd::Options{.momentum = kNaN}, Sgd::Options{.decay = -1},
                                    Sgd::Options{.momentum = 0, .nesterov = true}}) {
    EXPECT_THROW(Sgd(wrong, model.list), ValueError);
  }
  Sgd optimizer({}, model.list);
  EXPECT_THROW(optimizer.step(runtime, model.list, -1, 1), ValueError);
  EXPECT_THROW(optimizer.step(runtime, model.list, kNaN, 1), ValueError);
  EXPECT_THROW(optimizer.step(runtime, model.list, kRate, 0), ValueError);
  EXPECT_THROW(optimizer.step(runtime, std::span(model.list).first(1), kRate, 1), ShapeError);
}

}  // namespace
}  // namespace padless
