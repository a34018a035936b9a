#include "padless/study/constant_claims.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "padless/study/finding_for_test.h"
#include "padless/testing/xml.h"

namespace padless::study {
namespace {

using testing::count_of;
using testing::xml_fault;

class ConstantClaims : public ::testing::Test {
 protected:
  const Json& trial(const char* format, const char* constant) const {
    return member(member(s5_.numbers, format), constant);
  }

  Runtime runtime_;
  Finding s5_ = large_constants_differ(runtime_);
};

TEST_F(ConstantClaims, NoFormatTellsTheTwoConstantsApartInAnOrdinaryRow) {
  for (const char* format : {"float32", "float16", "bfloat16"}) {
    for (const char* constant : {"-1e9", "-1e18"}) {
      EXPECT_EQ(number(trial(format, constant), "ordinary_pad_mass"), 0) << format << constant;
    }
  }
  EXPECT_EQ(s5_.verdict, viz::Verdict::fails);
  EXPECT_EQ(xml_fault(shown(s5_)), "");
  EXPECT_GE(count_of("<svg", shown(s5_)) + count_of("<table", shown(s5_)), 1u);
}

TEST_F(ConstantClaims, AMaskedRowIsUniformAsFarAsTheConstantSwallowsTheLogits) {
  // 1e9 has steps of 64 in float32, 1e18 steps of 2^36. Half a step is a tie, which goes to the
  // even multiple: 1e9 is one, 1e18 is not, so that the next smaller float is the last.
  EXPECT_EQ(four_decimals(numbers(trial("float32", "-1e9"), "full_row")),
            (std::vector<double>{0.2, 0.2, 0.2, 0.2, 0.2}));
  EXPECT_EQ(number(trial("float32", "-1e9"), "uniform_up_to_logit"), 32);
  EXPECT_EQ(number(trial("float32", "-1e18"), "uniform_up_to_logit"), 0x1p+35 - 0x1p+11);
  // 10000 has steps of 2^-10.
  EXPECT_EQ(number(trial("float32", "-10000"), "uniform_up_to_logit"), 0x1p-11);
  for (const double weight : numbers(s5_.numbers, "full_row_exact")) EXPECT_EQ(weight, 0);
}

TEST_F(ConstantClaims, Float16HasNoSuchNumbersAndGivesNaNWhereBfloat16HoldsThem) {
  for (const char* constant : {"-1e9", "-1e18"}) {
    const Json& half = trial("float16", constant);
    EXPECT_TRUE(yes(half, "stored_is_infinite"));
    for (const double weight : numbers(half, "full_row")) EXPECT_TRUE(std::isnan(weight));
    const Json& brain = trial("bfloat16", constant);
    EXPECT_FALSE(yes(brain, "stored_is_infinite"));
    for (const double weight : numbers(brain, "full_row")) EXPECT_EQ(weight, 205 * 0x1p-10);
  }
  EXPECT_EQ(number(trial("bfloat16", "-1e9"), "stored"), -238 * 0x1p+22);
  EXPECT_EQ(number(trial("float16", "-65504"), "stored"), -65504);
}

}  // namespace
}  // namespace padless::study
