#include "padless/train/names.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "padless/core/error.h"
#include "padless/testing/enumerators.h"
#include "padless/train/encoder_names.h"
#include "padless/train/schedule.h"
#include "padless/train/text_model.h"
#include "padless/train/train_options.h"

namespace padless {
namespace {

template <class Value>
void expect_a_name_each(const Names<Value>& names) {
  const std::vector<Value> values = testing::enumerators<Value>();
  ASSERT_GE(values.size(), 2u);
  EXPECT_EQ(names.size(), values.size());
  std::set<std::string_view> seen;
  for (const Value value : values) EXPECT_TRUE(seen.insert(name_of(names, value)).second);
}

TEST(Names, EveryEnumeratorHasAnotherName) {
  expect_a_name_each(activation_names());
  expect_a_name_each(norm_names());
  expect_a_name_each(norm_place_names());
  expect_a_name_each(position_names());
  expect_a_name_each(pooling_names());
  expect_a_name_each(optimizer_names());
  expect_a_name_each(class_weights_names());
  expect_a_name_each(schedule_names());
  expect_a_name_each(answer_names());
}

TEST(Names, AValueWithoutANameIsRefused) {
  try {
    name_of(text_pooling_names(), EncoderPooling::per_token);
    ADD_FAILURE() << "it has a name";
  } catch (const ValueError& error) {
    EXPECT_STREQ(error.what(), "name_of: value 4 has no name, expected one of the 4 that have");
  }
}

}  // namespace
}  // namespace padless
