#include "padless/study/attention_scorer.h"

#include <gtest/gtest.h>

#include <cmath>

#include "padless/core/error.h"

namespace padless::study {
namespace {

AttentionScorer scorer() {
  Matrix<double> w(2, 2);
  w(0, 0) = w(1, 1) = 1;
  return {std::move(w), {0.5, -0.5}, {1, 2}};
}

TEST(AttentionScorer, ScoresRowsAndPads) {
  const std::vector<float> row = {1, 0};
  EXPECT_DOUBLE_EQ(scorer().score(row), std::tanh(1.5) + 2 * std::tanh(-0.5));
  EXPECT_DOUBLE_EQ(scorer().pad_score(), -std::tanh(0.5));
  const std::vector<float> zero = {0, 0}, wide = {0, 0, 0};
  EXPECT_DOUBLE_EQ(scorer().score(zero), scorer().pad_score());
  EXPECT_THROW(scorer().score(wide), ShapeError);
}

TEST(AttentionScorer, IsReadFromAModelsParametersByName) {
  Parameter weight(1, 1), bias(1, 1), context(1, 1);
  weight.value(0, 0) = 2;
  bias.value(0, 0) = 0.25f;
  context.value(0, 0) = 3;
  const ParameterWalk model = [&](const auto& visit) {
    visit("words.projection.weight", weight);
    visit("words.projection.bias", bias);
    visit("words.context", context);
  };
  const std::vector<float> row = {0.5f};
  EXPECT_DOUBLE_EQ(attention_scorer(model, "words").score(row), 3 * std::tanh(1.25));
  EXPECT_THROW(attention_scorer(model, "sentences"), ValueError);
}

TEST(MassLost, IsThePadsShareOfTheSoftmax) {
  const std::vector<double> scores = {0.1, 0.2};
  EXPECT_NEAR(mass_lost(scores, 0, 3), 0.5632, 0.5e-4);  // claim S1
  EXPECT_EQ(mass_lost(scores, 0, 0), 0);
  EXPECT_EQ(mass_lost({}, 0, 3), 1);
  const std::vector<double> far = {-2000};
  EXPECT_EQ(mass_lost(far, 0, 1), 1);
}

}  // namespace
}  // namespace padless::study
