#include "padless/train/class_weights.h"

#include <gtest/gtest.h>

#include <string>

#include "padless/core/error.h"
#include "padless/ops/loss_sum.h"

namespace padless {
namespace {

std::string refusal_of(std::span<const std::int32_t> labels, std::size_t classes) {
  try {
    balanced_class_weights(labels, classes);
  } catch (const ValueError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(BalancedClassWeights, MakeAllClassesWeighTheSame) {
  const std::vector<std::int32_t> labels = {0, 1, 0, 2, 0, 0, 1, 0};  // 5, 2 and 1 of 8
  const std::vector<float> weights = balanced_class_weights(labels, 3);
  EXPECT_EQ(weights, (std::vector<float>{8.0f / 15, 8.0f / 6, 8.0f / 3}));
}

TEST(BalancedClassWeights, AreOneWhereTheClassesAreBalanced) {
  const std::vector<std::int32_t> labels = {2, 1, 0, 0, 1, 2};
  EXPECT_EQ(balanced_class_weights(labels, 3), std::vector<float>(3, 1.0f));
}

TEST(BalancedClassWeights, DoNotCountWhatIsIgnored) {
  const std::vector<std::int32_t> labels = {0, kIgnored, 1, kIgnored, kIgnored, 0};
  EXPECT_EQ(balanced_class_weights(labels, 2), (std::vector<float>{0.75f, 1.5f}));
}

TEST(BalancedClassWeights, RefuseAClassWithoutALabelAndALabelWithoutAClass) {
  const std::vector<std::int32_t> labels = {0, 2, 2};
  EXPECT_EQ(refusal_of(labels, 3),
            "balanced_class_weights: no label is 1, expected at least one of each of 3 classes");
  EXPECT_EQ(refusal_of(labels, 2),
            "balanced_class_weights: a label is 2, expected one of 2 classes");
  const std::vector<std::int32_t> unseen = {0, 1, -1};
  EXPECT_EQ(refusal_of(unseen, 2),
            "balanced_class_weights: a label is -1, expected one of 2 classes");
}

}  // namespace
}  // namespace padless
