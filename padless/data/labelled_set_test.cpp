#include "padless/data/labelled_set.h"

#include <gtest/gtest.h>

#include <sstream>

#include "padless/core/error.h"

namespace padless {
namespace {

const LabelledColumns kLabelled{.text = "text", .label = "label"};
const LabelledColumns kNumbers{.text = "text", .target = "y"};
const LabelledColumns kSplit{.text = "text", .split = "part"};

LabelledSet read(const std::string& text, const LabelledColumns& columns,
                 std::optional<std::size_t> limit = {}) {
  std::istringstream stream(text);
  TableReader table(stream, "t.csv");
  return read_labelled_set(table, columns, limit);
}

template <class Expected = FormatError>
std::string error_of(const std::string& text, const LabelledColumns& columns) {
  try {
    (void)read(text, columns);
  } catch (const Expected& error) {
    return error.what();
  }
  return "no error of that kind";
}

TEST(LabelledSet, ReadsTextsLabelsTargetsAndSplits) {
  const LabelledSet set =
      read("part,y,label,text\ntrain,1.5,b,one\nval, -2e3 ,a,\ntest,+0,b,\"x\ny\"\n",
           {.text = "text", .label = "label", .target = "y", .split = "part"});
  EXPECT_EQ(set.texts, (std::vector<std::string>{"one", "", "x\ny"}));
  EXPECT_EQ(set.labels, (std::vector<std::string>{"b", "a", "b"}));
  EXPECT_EQ(set.targets, (std::vector<double>{1.5, -2000, 0}));
  EXPECT_EQ(set.splits, (std::vector<Split>{Split::train, Split::dev, Split::test}));
  EXPECT_EQ(set.rows, (std::vector<std::size_t>{1, 2, 3}));
  EXPECT_EQ(set.indices_of(Split::test), std::vector<std::size_t>{2});
}

TEST(LabelledSet, WhatWasNotAskedForStaysEmpty) {
  const LabelledSet set = read("text,label\na,b\n", {.text = "text"});
  EXPECT_TRUE(set.labels.empty() && set.targets.empty() && set.splits.empty());
}

TEST(LabelledSet, TheLimitCountsRows) {
  EXPECT_EQ(read("text\na\nb\nc\n", {.text = "text"}, 2).texts.size(), 2U);
  EXPECT_EQ(read("text\na\nb\nc\n", {.text = "text"}, 9).texts.size(), 3U);
}

TEST(LabelledSet, AnEmptyLabelIsRefused) {
  EXPECT_EQ(error_of("text,label\na,b\nc,\n", kLabelled),
            "t.csv:3: 'label' is \"\", expected a class name");
}

TEST(LabelledSet, ATargetThatIsNoFiniteNumberIsRefused) {
  EXPECT_EQ(error_of("text,y\na,1\nc,2x\n", kNumbers),
            "t.csv:3: 'y' is \"2x\", expected a number from -1e100 to 1e100");
  for (const char* value : {"", " ", "nan", "inf", "-inf", "1e999", "1,5", "+-1", "0x10", "1 2"}) {
    const std::string text = std::string("text,y\na,\"") + value + "\"\n";
    EXPECT_NE(error_of(text, kNumbers), "no error of that kind") << value;
  }
}

TEST(LabelledSet, ASplitOfAnotherNameIsRefused) {
  EXPECT_EQ(error_of("text,part\na,Train\n", kSplit),
            "t.csv:2: 'part' is \"Train\", expected train, dev, validation, valid, val or test");
}

using LabelSets = std::vector<std::vector<std::string>>;

const LabelledColumns kSeveral{.text = "text", .labels = "tags"};

TEST(LabelledSet, SeveralLabelsAreSortedTrimmedAndTakenOnce) {
  EXPECT_EQ(read("text,tags\na,b|a\nb,\nc, c d |b|\tb\nd,a||\ne,\" | \"\n", kSeveral).label_sets,
            (LabelSets{{"a", "b"}, {}, {"b", "c d"}, {"a"}, {}}));
  LabelledColumns by_words = kSeveral;
  by_words.label_separator = ", ";
  EXPECT_EQ(read("text,tags\na,\"b, a|c\"\n", by_words).label_sets, (LabelSets{{"a|c", "b"}}));
}

TEST(LabelledSet, SeveralLabelsOfJsonlAreAnArrayOrAreCut) {
  std::istringstream stream(
      "{\"text\": \"a\", \"tags\": [\"b|c\", \" a \", \"a\", \"\"]}\n"
      "{\"text\": \"b\", \"tags\": []}\n"
      "{\"text\": \"c\", \"tags\": null}\n"
      "{\"text\": \"d\", \"tags\": \"b|a\"}\n"
      "{\"text\": \"e\", \"tags\": [3, true]}\n");
  TableReader table(stream, "t.jsonl");
  EXPECT_EQ(read_labelled_set(table, kSeveral).label_sets,
            (LabelSets{{"a", "b|c"}, {}, {}, {"a", "b"}, {"3", "true"}}));
}

TEST(LabelledSet, ALabelThatIsNoTextIsRefused) {
  std::istringstream stream("{\"text\": \"a\", \"tags\": [\"b\", [\"c\"]]}\n");
  TableReader table(stream, "t.jsonl");
  try {
    (void)read_labelled_set(table, kSeveral);
    FAIL() << "nothing was thrown";
  } catch (const FormatError& error) {
    EXPECT_STREQ(
        error.what(),
        "t.jsonl:1: 'tags[1]' is an array of 1, expected text, a number, true, false or null");
  }
}

TEST(LabelledSet, AnEmptySeparatorAndAMissingColumnOfLabelsAreRefused) {
  LabelledColumns uncut = kSeveral;
  uncut.label_separator = "";
  EXPECT_EQ(error_of<ValueError>("text,tags\na,b\n", uncut),
            "TableReader: the separator of 'tags' is empty, expected some character");
  EXPECT_EQ(error_of("text,label\na,b\n", kSeveral),
            "t.csv: has the columns 'text', 'label', expected a column 'tags'");
}

TEST(LabelledSet, ATableWithoutRowsIsRefused) {
  EXPECT_EQ(error_of<ValueError>("text,label\n", kLabelled),
            "t.csv: has no rows, expected at least one");
}

TEST(LabelledSet, AMissingColumnIsRefused) {
  EXPECT_EQ(error_of("text,label\na,b\n", kNumbers),
            "t.csv: has the columns 'text', 'label', expected a column 'y'");
}

TEST(Classes, AreNumberedByTheirBytesWhateverTheOrder) {
  const std::vector<std::string> labels = {"b", "\xC3\xA9", "a", "B", "a"};
  const Classes classes = Classes::of(labels);
  EXPECT_EQ(classes.names(), (std::vector<std::string>{"B", "a", "b", "\xC3\xA9"}));
  EXPECT_EQ(classes.id("b"), 2U);
  EXPECT_EQ(classes.name(2), "b");
  const std::vector<std::string> again = {"a", "B", "b", "\xC3\xA9"};
  EXPECT_EQ(Classes::of(again).names(), classes.names());
}

TEST(Classes, ALabelUnseenInTrainingHasNoNumber) {
  const std::vector<std::string> labels = {"a", "c"};
  const Classes classes = Classes::of(labels);
  EXPECT_EQ(classes.id("b"), std::nullopt);
  EXPECT_EQ(classes.id("d"), std::nullopt);
}

TEST(Classes, OfTextsWithSeveralLabelsOneIsEnough) {
  EXPECT_EQ(Classes::of_sets(LabelSets{{"b", "c"}, {}, {"a", "b"}}).names(),
            (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(Classes::of_sets(LabelSets{{}, {"a"}}).count(), 1U);
  try {
    (void)Classes::of_sets(LabelSets{{}, {}});
    FAIL() << "nothing was thrown";
  } catch (const ValueError& error) {
    EXPECT_STREQ(error.what(), "none of the 2 texts has a label, expected some");
  }
}

TEST(Classes, FewerThanTwoAreRefused) {
  const std::vector<std::string> labels = {"a", "a", "a"};
  try {
    (void)Classes::of(labels);
    FAIL() << "nothing was thrown";
  } catch (const ValueError& error) {
    EXPECT_STREQ(error.what(), "the 3 labels are all \"a\", expected at least two classes");
  }
  EXPECT_THROW((void)Classes::of({}), ValueError);
}

TEST(Split, NamesAreReadAndWritten) {
  for (const char* name : {"dev", "validation", "valid", "val"}) {
    EXPECT_EQ(parse_split(name), Split::dev) << name;
  }
  for (const Split split : {Split::train, Split::dev, Split::test}) {
    EXPECT_EQ(parse_split(split_name(split)), split);
  }
  EXPECT_EQ(parse_split("TEST"), std::nullopt);
}

TEST(Split, AShareIsAPureFunctionOfSeedAndRow) {
  constexpr std::uint64_t kRows = 20'000;
  std::size_t in_one = 0;
  std::size_t in_both = 0;
  for (std::uint64_t row = 0; row < kRows; ++row) {
    const bool one = in_share(1, row, 0.1);
    EXPECT_EQ(one, in_share(1, row, 0.1));
    EXPECT_TRUE(!one || in_share(1, row, 0.2));  // a larger share only adds rows
    in_one += one ? 1 : 0;
    in_both += one && in_share(2, row, 0.1) ? 1 : 0;
  }
  // Six standard deviations of a binomial count around its mean.
  EXPECT_NEAR(static_cast<double>(in_one), 2000, 6 * 42.5);
  EXPECT_NEAR(static_cast<double>(in_both), 200, 6 * 14.1);
  EXPECT_FALSE(in_share(1, 5, 0));
  EXPECT_TRUE(in_share(1, 5, 1));
  EXPECT_THROW((void)in_share(1, 5, 1.5), ValueError);
  EXPECT_THROW((void)in_share(1, 5, -0.1), ValueError);
}

TEST(Split, TheShareOfAKnownSeedStaysAsItIs) {
  std::vector<std::uint64_t> rows;
  for (std::uint64_t row = 1; row <= 40; ++row) {
    if (in_share(7, row, 0.2)) rows.push_back(row);
  }
  EXPECT_EQ(rows, (std::vector<std::uint64_t>{3, 7, 13, 35, 36, 38}));
}

}  // namespace
}  // namespace padless
