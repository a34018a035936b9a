#include <gtest/gtest.h>

#include "padless/cli/trained_for_test.h"
#include "padless/io/atomic_file.h"
#include "padless/io/json.h"

namespace padless::cli {
namespace {

class Evaluate : public TrainedModels {
 protected:
  static Ran evaluate(const std::string& model, const Arguments& more, const std::string& table) {
    return run_command(
        Arguments{"evaluate", "--model", path(model), "--data", "-", "--text", "text"} + more,
        table);
  }
};

TEST_F(Evaluate, CountsWhatPredictSays) {
  const Ran predicted = run_command(
      {"predict", "--model", path("classes"), "--data", path("data.tsv"), "--text", "text"});
  std::istringstream lines(predicted.out), rows(small_table());
  std::size_t right = 0, count = 0;
  std::string line, row;
  std::getline(rows, row);
  while (std::getline(lines, line) && std::getline(rows, row)) {
    const JsonDocument document = JsonDocument::parse(line, "line");
    right += row.starts_with(document.root().at("label").as_string() + "\t");
    ++count;
  }
  const Ran ran = evaluate("classes", {"--label", "kind", "--json"}, small_table());
  ASSERT_EQ(ran.code, 0) << ran.err;
  const JsonDocument document = JsonDocument::parse(ran.out, "out");
  EXPECT_EQ(document.root().at("count").as_size(), count);
  EXPECT_EQ(document.root().at("accuracy").as_double(),
            static_cast<double>(right) / static_cast<double>(count));
  // macro-F1 is the mean over the classes, of which each occurs.
  double sum = 0;
  for (const auto& [label, metrics] : document.root().at("classes").members()) {
    sum += metrics.at("f1").as_double();
    EXPECT_EQ(metrics.at("count").as_size(), 8u) << label;
  }
  EXPECT_DOUBLE_EQ(document.root().at("macro_f1").as_double(), sum / 3);
}

TEST_F(Evaluate, PrintsATableOfClasses) {
  const Ran ran = evaluate("classes", {"--label", "kind"}, small_table());
  ASSERT_EQ(ran.code, 0) << ran.err;
  for (const char* part : {"texts     24\n", "accuracy  ", "macro-F1  ", "\nclass  precision",
                           "\nbird ", "\nfruit", "\ntool "}) {
    EXPECT_NE(ran.out.find(part), std::string::npos) << ran.out;
  }
}

TEST_F(Evaluate, JudgesNumbers) {
  const Ran ran = evaluate("numbers", {"--target", "size", "--json"}, small_table());
  ASSERT_EQ(ran.code, 0) << ran.err;
  const JsonDocument document = JsonDocument::parse(ran.out, "out");
  EXPECT_EQ(document.root().at("count").as_size(), 24u);
  EXPECT_GT(document.root().at("mae").as_double(), 0);
  EXPECT_TRUE(document.root().find("r2") && document.root().find("spearman"));
  EXPECT_NE(evaluate("numbers", {"--target", "size"}, small_table()).out.find("Spearman"),
            std::string::npos);
}

TEST_F(Evaluate, CountsAnUnseenLabelAsWrong) {
  const Ran ran =
      evaluate("classes", {"--label", "kind", "--json"}, "kind\ttext\nrock\tIt is the granite.\n");
  ASSERT_EQ(ran.code, 0) << ran.err;
  const JsonDocument document = JsonDocument::parse(ran.out, "out");
  EXPECT_EQ(document.root().at("unseen_labels").as_size(), 1u);
  EXPECT_EQ(document.root().at("accuracy").as_double(), 0);
}

TEST_F(Evaluate, UsesTheRowsOfOneSplit) {
  const std::string table = "split\tkind\ttext\ntrain\tbird\tx\ntest\ttool\ty\ntest\tbird\tz\n";
  const auto count = [&](const Arguments& more) {
    const Ran ran = evaluate("classes", Arguments{"--label", "kind", "--json"} + more, table);
    EXPECT_EQ(ran.code, 0) << ran.err;
    return JsonDocument::parse(ran.out, "out").root().at("count").as_size();
  };
  EXPECT_EQ(count({}), 3u);
  EXPECT_EQ(count({"--split", "split"}), 2u);
  EXPECT_EQ(count({"--split", "split", "--use", "train"}), 1u);
  const Ran none =
      evaluate("classes", {"--label", "kind", "--split", "split", "--use", "dev"}, table);
  EXPECT_EQ(none.code, 1);
  EXPECT_NE(none.err.find("no row's 'split' is dev"), std::string::npos) << none.err;
}

TEST_F(Evaluate, RefusesAColumnOfTheOtherKind) {
  const Ran ran = evaluate("classes", {"--target", "size"}, small_table());
  EXPECT_EQ(ran.code, 2);
  EXPECT_NE(ran.err.find("gives labels, expected --label"), std::string::npos) << ran.err;
  EXPECT_EQ(evaluate("numbers", {"--label", "kind"}, small_table()).code, 2);
}

}  // namespace
}  // namespace padless::cli
