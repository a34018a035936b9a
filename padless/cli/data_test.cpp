#include <gtest/gtest.h>

#include "padless/cli/run_for_test.h"
#include "padless/data/labelled_set.h"
#include "padless/data/synthetic.h"
#include "padless/io/atomic_file.h"
#include "padless/testing/temporary_folder.h"

namespace padless::cli {
namespace {

TEST(DataSynthetic, WritesATableThatReadsBackToTheSet) {
  const TemporaryFolder folder;
  const std::string out = (folder / "made_up.tsv").string();
  const Ran ran = run_command(
      {"data", "synthetic", "--out", out, "--texts", "40", "--classes", "3", "--seed", "5"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out.find(out + ": 40 texts: "), 0u) << ran.out;
  TableReader table(out);
  const LabelledSet read = read_labelled_set(
      table, {.text = "text", .label = "label", .target = "target", .split = "split"});
  const LabelledSet made = make_synthetic_set({.texts = 40, .classes = 3, .seed = 5});
  EXPECT_EQ(read.texts, made.texts);
  EXPECT_EQ(read.labels, made.labels);
  EXPECT_EQ(read.targets, made.targets);
  EXPECT_EQ(read.splits, made.splits);
}

TEST(DataSynthetic, WritesSeveralLabelsThatReadBackToTheSet) {
  const TemporaryFolder folder;
  const std::string out = (folder / "tagged.tsv").string();
  const Ran ran = run_command({"data", "synthetic", "--out", out, "--texts", "40", "--labels"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  TableReader table(out);
  const LabelledSet read =
      read_labelled_set(table, {.text = "text", .split = "split", .labels = "labels"});
  const LabelledSet made = make_synthetic_set({.texts = 40, .several_labels = true});
  EXPECT_EQ(read.texts, made.texts);
  EXPECT_EQ(read.label_sets, made.label_sets);
  EXPECT_EQ(read.splits, made.splits);
  EXPECT_EQ(table.columns(), (std::vector<std::string>{"labels", "split", "text"}));
}

TEST(DataSynthetic, SaysWhyAFileCannotBeWritten) {
  const Ran ran = run_command({"data", "synthetic", "--out", "/no/such/folder/x.tsv"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.err.find("padless data synthetic: /no/such/folder/x.tsv: cannot write: "), 0u)
      << ran.err;
}

TEST(DataDebian, FindsAPlaceThatCannotBeWrittenBeforeItFetches) {
  const TemporaryFolder folder;
  const Ran ran = run_command(
      {"data", "debian", "--out", "/no/such/folder/x.tsv", "--cache", (folder / "cache").string()});
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.err.find("padless data debian: /no/such/folder/x.tsv: cannot write: "), 0u)
      << ran.err;
  EXPECT_FALSE(std::filesystem::exists(folder / "cache"));
}

TEST(DataDebian, SaysWhyTheListsCannotBeKept) {
  const TemporaryFolder folder;
  write_file(folder / "file", "not a folder");
  const Ran ran = run_command({"data", "debian", "--out", (folder / "x.tsv").string(), "--cache",
                               (folder / "file" / "cache").string()});
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.err.find("padless data debian: "), 0u) << ran.err;
  EXPECT_FALSE(std::filesystem::exists(folder / "x.tsv"));
}

}  // namespace
}  // namespace padless::cli
