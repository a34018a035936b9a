#include "padless/core/error.h"

#include <gtest/gtest.h>

#include <locale>
#include <string>

namespace padless {
namespace {

TEST(Error, MessageJoinsItsParts) {
  EXPECT_EQ(message("out is [", 4, ", ", 18, "], expected [4, 19]"),
            "out is [4, 18], expected [4, 19]");
}

// A locale as many a program sets it, made here because a machine may have none installed.
class Grouping : public std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST(Error, MessageDoesNotObeyTheProgramsLocale) {
  const std::locale before = std::locale::global(std::locale(std::locale(), new Grouping));
  const std::string text = message(1234567, " of ", 1.5);
  std::locale::global(before);
  EXPECT_EQ(text, "1234567 of 1.5");
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
