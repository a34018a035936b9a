#include "padless/ops/sgd.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "padless/core/error.h"
#include "padless/core/rng.h"
#include "padless/reference/sgd.h"
#include "padless/testing/bits.h"
#include "padless/testing/contract.h"
#include "padless/testing/refusal.h"

namespace padless {
namespace {

// Less than a vector, a lane group and a rest, more than one item with a rest, nothing.
constexpr std::pair<std::size_t, std::size_t> kShapes[] = {{1, 3}, {7, 19}, {70, 131}, {0, 5}};

struct Model {
  std::vector<Parameter> parameters;
  std::vector<Matrix<float>> velocity;
  std::vector<Parameter*> list;

  explicit Model(std::uint64_t seed) {
    Rng rng(seed);
    for (const auto& [rows, cols] : kShapes) {
      Parameter& parameter = parameters.emplace_back(rng.normal(rows, cols, 1));
      parameter.gradient = rng.normal(rows, cols, 3);
      velocity.push_back(rng.normal(rows, cols, 1));
    }
    for (Parameter& parameter : parameters) list.push_back(&parameter);
  }
};

SgdStep step_of(bool nesterov) {
  return {.learning_rate = 0.01,
          .momentum = 0.9,
          .decay = 0.1,
          .nesterov = nesterov,
          .gradient_scale = 0.3};
}

TEST(Sgd, HasTheReferencesBitsOnEveryInstructionSet) {
  for (const bool nesterov : {false, true}) {
    Model expected(1);
    const reference::SgdNumbers<float> numbers(step_of(nesterov));
    for (std::size_t p = 0; p < expected.list.size(); ++p) {
      Parameter& parameter = expected.parameters[p];
      reference::sgd(numbers, parameter.value.cells().size(), parameter.value.data(),
                     parameter.gradient.data(), expected.velocity[p].data());
    }
    testing::for_each_runtime([&](Runtime& runtime) {
      Model found(1);
      sgd_update(runtime, step_of(nesterov), found.list, found.velocity);
      for (std::size_t p = 0; p < found.list.size(); ++p) {
        testing::expect_same_bits(found.list[p]->value.cells(), expected.list[p]->value.cells());
        testing::expect_same_bits(found.velocity[p].cells(), expected.velocity[p].cells());
        testing::expect_same_bits(found.list[p]->gradient.cells(),
                                  std::vector<float>(found.list[p]->value.cells().size()));
        EXPECT_EQ(found.list[p]->version, 1u);
      }
    });
  }
}

// By hand, in halves: g = 1 * 2 + 0.5 * 4 = 4; v = 0.5 * 8 + 4 = 8.
TEST(Sgd, IsPyTorchsStep) {
  testing::for_each_runtime([](Runtime& runtime) {
    for (const bool nesterov : {false, true}) {
      Parameter parameter(1, 1);
      parameter.value(0, 0) = 4;
      parameter.gradient(0, 0) = 1;
      Parameter* const list[] = {&parameter};
      std::vector<Matrix<float>> velocity(1, Matrix<float>(1, 1));
      velocity[0](0, 0) = 8;
      sgd_update(runtime,
                 {.learning_rate = 0.25,
                  .momentum = 0.5,
                  .decay = 0.5,
                  .nesterov = nesterov,
                  .gradient_scale = 2},
                 list, velocity);
      EXPECT_EQ(velocity[0](0, 0), 8);
      // Nesterov's move is 4 + 0.5 * 8, which is 8 as well: told apart by a second step.
      EXPECT_EQ(parameter.value(0, 0), 2);
      sgd_update(runtime, {.learning_rate = 0.25, .momentum = 0.5, .nesterov = nesterov}, list,
                 velocity);
      EXPECT_EQ(velocity[0](0, 0), 4);
      EXPECT_EQ(parameter.value(0, 0), nesterov ? 1.5f : 1.0f);
    }
  });
}

std::string refusal(const SgdStep& step, Model& model) {
  Runtime runtime;
  return testing::refusal<ShapeError>(
      [&] { sgd_update(runtime, step, model.list, model.velocity); });
}

TEST(Sgd, RefusesShapesThatDoNotFit) {
  Model model(1);
  model.velocity[1] = Matrix<float>(7, 18);
  EXPECT_EQ(refusal({}, model),
            "sgd_update: the velocity of parameter 1 is [7, 18], expected [7, 19] as its value");
  model.velocity.pop_back();
  EXPECT_EQ(refusal({}, model), "sgd_update: 3 velocities, expected 4, as many as parameters");
}

}  // namespace
}  // namespace padless
