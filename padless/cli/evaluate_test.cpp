#include <gtest/gtest.h>

#include "padless/cli/trained_for_test.h"
#include "padless/data/tsv.h"
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

TEST_F(Evaluate, CountsTheLabelsThatPredictSays) {
  const Ran predicted = run_command({"predict", "--model", path("labels"), "--data",
                                     path("data.tsv"), "--text", "text", "--threshold", "0.4"});
  std::istringstream lines(predicted.out), rows(small_table());
  std::string line, row;
  std::getline(rows, row);
  double said = 0, real = 0, found = 0;
  while (std::getline(lines, line) && std::getline(rows, row)) {
    std::vector<std::string> fields = split_tsv(row);
    const std::string traits = "|" + fields[2] + "|";
    real += static_cast<double>(!fields[2].starts_with('|') && !fields[2].empty()) +
            static_cast<double>(traits.find("|long|") != std::string::npos);
    const JsonDocument document = JsonDocument::parse(line, "line");
    for (const JsonView& label : document.root().at("labels").elements()) {
      ++said;
      if (traits.find("|" + label.as_string() + "|") != std::string::npos) ++found;
    }
  }
  ASSERT_GT(said, 0);
  const Ran ran =
      evaluate("labels", {"--labels", "traits", "--threshold", "0.4", "--json"}, small_table());
  ASSERT_EQ(ran.code, 0) << ran.err;
  const JsonDocument document = JsonDocument::parse(ran.out, "out");
  const JsonView root = document.root();
  EXPECT_EQ(root.at("count").as_size(), 24u);
  EXPECT_DOUBLE_EQ(root.at("micro_f1").as_double(), 2 * found / (said + real));
  EXPECT_EQ(root.at("unseen_labels").as_size(), 0u);
  EXPECT_TRUE(root.find("macro_f1") && root.find("subset_accuracy"));
  // It does not depend on the threshold.
  const Ran usual = evaluate("labels", {"--labels", "traits", "--json"}, small_table());
  EXPECT_EQ(JsonDocument::parse(usual.out, "out").root().at("mean_average_precision").as_double(),
            root.at("mean_average_precision").as_double());
  std::size_t count = 0;
  for (const auto& [label, metrics] : root.at("labels").members()) {
    count += metrics.at("count").as_size();
  }
  EXPECT_EQ(static_cast<double>(count), real);
}

TEST_F(Evaluate, PrintsATableOfLabels) {
  const Ran ran = evaluate("labels", {"--labels", "traits"}, small_table());
  ASSERT_EQ(ran.code, 0) << ran.err;
  for (const char* part :
       {"texts                   24\n", "mean average precision  ", "micro-F1                ",
        "macro-F1                ", "subset accuracy         ", "\nlabel  precision", "\nlong "}) {
    EXPECT_NE(ran.out.find(part), std::string::npos) << ran.out;
  }
}

TEST_F(Evaluate, CountsALabelThatTheModelHasNeverSeenAsNotFound) {
  const std::string table = "traits\ttext\nrock|stone\tIt is the granite.\n";
  const Ran ran =
      evaluate("labels", {"--labels", "traits", "--json", "--threshold", "0.99"}, table);
  ASSERT_EQ(ran.code, 0) << ran.err;
  const JsonDocument document = JsonDocument::parse(ran.out, "out");
  EXPECT_EQ(document.root().at("unseen_labels").as_size(), 1u);
  EXPECT_EQ(document.root().at("micro_f1").as_double(), 0);
  EXPECT_EQ(document.root().at("subset_accuracy").as_double(), 0);
  EXPECT_NE(evaluate("labels", {"--labels", "traits"}, table)
                .out.find("1 texts have a label that the model has never seen; it counts as not "
                          "found\n"),
            std::string::npos);
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

TEST_F(Evaluate, RefusesAUseWithoutASplit) {
  const Ran ran = evaluate("classes", {"--label", "kind", "--use", "dev"}, small_table());
  EXPECT_EQ(ran.code, 2);
  EXPECT_NE(ran.err.find("padless evaluate: --use requires --split"), std::string::npos) << ran.err;
}

TEST_F(Evaluate, TellsHowManyWordsItCut) {
  train("short", {"--label", "kind", "--max-words", "3"});
  const std::string table = "kind\ttext\nbird\tone two three\nbird\tone two three four five\n";
  const Ran ran = evaluate("short", {"--label", "kind"}, table);
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.err, "2 words behind the model's --max-words were cut from 1 long texts\n");
  EXPECT_EQ(evaluate("classes", {"--label", "kind"}, table).err, "");
}

TEST_F(Evaluate, RefusesAColumnOfTheOtherKind) {
  const Ran ran = evaluate("classes", {"--target", "size"}, small_table());
  EXPECT_EQ(ran.code, 2);
  EXPECT_NE(ran.err.find("gives one class a text, expected --label\n"), std::string::npos)
      << ran.err;
  const auto error = [](const std::string& model, const Arguments& learnt) {
    const Ran refused = evaluate(model, learnt, small_table());
    EXPECT_EQ(refused.code, 2);
    return refused.err;
  };
  EXPECT_NE(error("numbers", {"--label", "kind"}).find("gives numbers, expected --target\n"),
            std::string::npos);
  EXPECT_NE(error("classes", {"--labels", "traits"}).find("gives one class a text"),
            std::string::npos);
  EXPECT_NE(
      error("labels", {"--label", "kind"}).find("gives several labels a text, expected --labels\n"),
      std::string::npos);
}

}  // namespace
}  // namespace padless::cli
