#include "padless/core/error.h"

#include <gtest/gtest.h>

namespace padless {
namespace {

TEST(Error, MessageJoinsItsParts) {
  EXPECT_EQ(message("out is [", 4, ", ", 18, "], expected [4, 19]"),
            "out is [4, 18], expected [4, 19]");
}

TEST(Error, RequireThrowsItsOwnKindOnlyWhenTheConditionFails) {
  EXPECT_NO_THROW(require_shape(true, "unused"));
  EXPECT_THROW(require_shape(false, "rows"), ShapeError);
  EXPECT_NO_THROW(require_value(true, "unused"));
  try {
    require_value(false, "p is ", 2, ", expected at most 1");
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "p is 2, expected at most 1");
    EXPECT_NE(dynamic_cast<const ValueError*>(&error), nullptr);
  }
}

}  // namespace
}  // namespace padless
