#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <iterator>
#include <ostream>
#include <sstream>

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

// Every command would read it as commas or as compressed.
TEST(DataSynthetic, RefusesANameOfAnotherFormat) {
  const TemporaryFolder folder;
  for (const char* name : {"made_up.csv", "made_up.jsonl", "made_up.tsv.gz", "made_up.csv.gz"}) {
    const std::string out = (folder / name).string();
    for (const char* kind : {"synthetic", "debian"}) {
      const Ran ran = run_command({"data", kind, "--out", out});
      EXPECT_EQ(ran.code, 2) << name;
      EXPECT_NE(ran.err.find("expected a name that ends in .tsv"), std::string::npos) << ran.err;
    }
    EXPECT_FALSE(std::filesystem::exists(out));
  }
}

TEST(DataSynthetic, ShowsItsOwnExamples) {
  const Ran ran = run_command({"data", "synthetic", "--help"});
  EXPECT_NE(ran.out.find("padless data synthetic --out"), std::string::npos) << ran.out;
  EXPECT_EQ(ran.out.find("padless data debian"), std::string::npos) << ran.out;
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

TEST(DataSynthetic, WritesToStandardOutputWhatItWritesToAFile) {
  const TemporaryFolder folder;
  const std::string out = (folder / "made_up.tsv").string();
  const Ran file = run_command({"data", "synthetic", "--out", out, "--texts", "300"});
  const Ran ran = run_command({"data", "synthetic", "--out", "-", "--texts", "300"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out, read_file(out, 1 << 20));
  EXPECT_EQ(ran.err, "standard output" + file.out.substr(out.size()));
  EXPECT_FALSE(std::filesystem::exists("-"));
}

/// Asks to stop behind so many bytes.
class Stopping : public std::stringbuf {
 protected:
  std::streamsize xsputn(const char*, std::streamsize size) override {
    constexpr std::streamsize kEnough = 1 << 20;
    const bool had_enough = written_ >= kEnough;
    written_ += size;
    if (!had_enough && written_ >= kEnough) ::raise(SIGTERM);
    return size;
  }

 private:
  std::streamsize written_ = 0;
};

// Made whole before they are written, so many texts would take 150 GB.
TEST(DataSynthetic, MakesTextByTextAndStopsBetweenThem) {
  std::istringstream in;
  Stopping stopping;
  std::ostream out(&stopping);
  std::ostringstream err;
  const Arguments arguments = {"data", "synthetic", "--out", "-", "--texts", "100000000"};
  EXPECT_EQ(run(arguments, {.in = in, .out = out, .err = err}), 1);
  EXPECT_EQ(err.str().find("padless data synthetic: interrupted after "), 0u) << err.str();
}

TEST(DataSynthetic, RemovesWhatOneThatWasKilledHasLeft) {
  const TemporaryFolder folder;
  write_file(folder / ".x.tsv.99999999.0.tmp", "half");
  const std::string out = (folder / "x.tsv").string();
  ASSERT_EQ(run_command({"data", "synthetic", "--out", out, "--texts", "3"}).code, 0);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
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

TEST(DataDebian, RemovesWhatOneThatWasKilledHasLeftBeforeItFetches) {
  const TemporaryFolder folder;
  write_file(folder / ".x.tsv.99999999.0.tmp", "half");
  write_file(folder / "file", "not a folder");
  const Ran ran = run_command({"data", "debian", "--out", (folder / "x.tsv").string(), "--cache",
                               (folder / "file" / "cache").string()});
  EXPECT_EQ(ran.code, 1);
  EXPECT_FALSE(std::filesystem::exists(folder / ".x.tsv.99999999.0.tmp"));
}

}  // namespace
}  // namespace padless::cli
