#include "padless/data/tsv.h"

#include <gtest/gtest.h>

#include <sstream>

namespace padless {
namespace {

using Fields = std::vector<std::string>;

TEST(Tsv, EscapesStandForWhatALineCannotHold) {
  EXPECT_EQ(split_tsv("a\\nb\tc\\td\\\\n\\r"), (Fields{"a\nb", "c\td\\n\r"}));
}

TEST(Tsv, ABackslashBeforeAnythingElseIsItself) {
  EXPECT_EQ(split_tsv("\\alpha \\\t\\"), (Fields{"\\alpha \\", "\\"}));
}

TEST(Tsv, EveryTabBeginsAField) {
  EXPECT_EQ(split_tsv(""), Fields{""});
  EXPECT_EQ(split_tsv("\t\t"), (Fields{"", "", ""}));
}

TEST(Tsv, WhatIsWrittenReadsBackTheSame) {
  const Fields fields = {"", "a\\nb", "\\\\", "x\n\t\r\\", "\xC3\xA9 \\", "\\t"};
  std::ostringstream out;
  write_tsv(out, fields);
  const std::string line = out.str();
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  EXPECT_EQ(split_tsv(line.substr(0, line.size() - 1)), fields);
}

}  // namespace
}  // namespace padless
