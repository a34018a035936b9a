#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "padless/cli/prediction.h"
#include "padless/cli/trained_for_test.h"
#include "padless/core/error.h"
#include "padless/io/atomic_file.h"
#include "padless/io/json.h"

namespace padless::cli {
namespace {

namespace fs = std::filesystem;

class Predict : public TrainedModels {
 protected:
  static Arguments command(const std::string& model, const Arguments& more = {}) {
    return Arguments{"predict",        "--model", path(model), "--data",
                     path("data.tsv"), "--text",  "text"} +
           more;
  }
};

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST_F(Predict, WritesALabelWithItsScoresForEachRow) {
  const Ran ran = run_command(command("classes"));
  ASSERT_EQ(ran.code, 0) << ran.err;
  const std::vector<std::string> lines = lines_of(ran.out);
  ASSERT_EQ(lines.size(), 24u);
  for (const std::string& line : lines) {
    const JsonDocument document = JsonDocument::parse(line, "line");
    ASSERT_EQ(document.root().size(), 2u) << line;
    double sum = 0;
    float best = 0;
    std::string best_label;
    for (const auto& [label, score] : document.root().at("scores").members()) {
      sum += score.as_float();
      if (score.as_float() > best) {
        best = score.as_float();
        best_label = label;
      }
    }
    // Three roundings to float of numbers below 1.
    EXPECT_NEAR(sum, 1, 3 * std::numeric_limits<float>::epsilon());
    EXPECT_EQ(document.root().at("label").as_string(), best_label);
  }
}

TEST_F(Predict, WritesTheLabelsAboveTheThresholdWithAllScores) {
  for (const float threshold : {0.5f, 0.0f, 0.35f, 0.99f}) {
    const Arguments asked = {"--threshold", Json(threshold).compact()};
    const Ran ran = run_command(command("labels", threshold == 0.5f ? Arguments{} : asked));
    ASSERT_EQ(ran.code, 0) << ran.err;
    const std::vector<std::string> lines = lines_of(ran.out);
    ASSERT_EQ(lines.size(), 24u);
    for (const std::string& line : lines) {
      const JsonDocument document = JsonDocument::parse(line, "line");
      ASSERT_EQ(document.root().size(), 2u) << line;
      std::vector<std::string> names, above, said;
      const auto scores = document.root().at("scores").members();
      names.reserve(scores.size());
      for (const auto& [label, score] : scores) {
        names.emplace_back(label);
        if (score.as_float() > threshold) above.emplace_back(label);
      }
      EXPECT_EQ(names, (std::vector<std::string>{"bird", "fruit", "long", "tool"}));
      const std::vector<JsonView> elements = document.root().at("labels").elements();
      said.reserve(elements.size());
      for (const JsonView& label : elements) {
        said.push_back(label.as_string());
      }
      EXPECT_EQ(said, above) << line;
    }
  }
}

TEST_F(Predict, RefusesAThresholdThatIsNoneOrOfAModelWithoutSeveralLabels) {
  const auto error = [](const std::string& model, const std::string& threshold) {
    const Ran ran = run_command(command(model, {"--threshold", threshold}));
    EXPECT_EQ(ran.code, 2);
    return ran.err.substr(0, ran.err.find('\n'));
  };
  EXPECT_EQ(error("labels", "1"),
            "padless predict: --threshold is \"1\", expected a number from 0 to below 1");
  EXPECT_EQ(error("classes", "0.5"),
            "padless predict: --threshold is given, and the model's answer is a class, expected a "
            "model of several labels");
  EXPECT_EQ(error("numbers", "0.5"),
            "padless predict: --threshold is given, and the model's answer is a number, expected a "
            "model of several labels");
}

TEST_F(Predict, WritesAValueForEachRow) {
  const Ran ran = run_command(command("numbers"));
  ASSERT_EQ(ran.code, 0) << ran.err;
  const std::vector<std::string> lines = lines_of(ran.out);
  ASSERT_EQ(lines.size(), 24u);
  const JsonDocument document = JsonDocument::parse(lines[0], "line");
  EXPECT_EQ(document.root().size(), 1u);
  document.root().at("value").as_double();
}

TEST_F(Predict, GivesTheSameBytesForAnyThreadsAndBatches) {
  for (const char* model : {"classes", "labels", "numbers"}) {
    const std::string plain = run_command(command(model)).out;
    for (const char* threads : {"1", "3"}) {
      for (const char* tokens : {"1", "7", "100000"}) {
        const Ran ran =
            run_command(command(model, {"--threads", threads, "--batch-tokens", tokens}));
        EXPECT_EQ(ran.code, 0);
        EXPECT_EQ(ran.out, plain) << threads << " threads, " << tokens << " tokens";
      }
    }
  }
}

TEST_F(Predict, GivesEachRowWhatItGivesItAlone) {
  const std::vector<std::string> rows = lines_of(small_table());
  for (const char* model : {"classes", "labels"}) {
    const std::vector<std::string> together = lines_of(run_command(command(model)).out);
    Arguments alone = command(model);
    alone[4] = "-";
    for (std::size_t i = 0; i < together.size(); ++i) {
      const Ran ran = run_command(alone, rows[0] + "\n" + rows[i + 1] + "\n");
      EXPECT_EQ(ran.out, together[i] + "\n") << model << ' ' << i;
    }
  }
}

TEST_F(Predict, ReadsEveryFormatFromStandardInput) {
  Arguments from_input = command("classes");
  from_input[4] = "-";
  const std::string text = "It is the apple.";
  const std::string expected = run_command(from_input, "text\n" + text + "\n").out;
  EXPECT_EQ(lines_of(expected).size(), 1u);
  EXPECT_EQ(run_command(from_input, "{\"text\": \"" + text + "\", \"n\": 1}\n").out, expected);
  EXPECT_EQ(run_command(from_input, "n,text\n1,\"" + text + "\"\n").out, expected);
  EXPECT_EQ(run_command(from_input + Arguments{"--format", "csv"}, "text\n" + text + "\n").out,
            expected);
}

TEST_F(Predict, HasALineForATextWithoutWordsAndNoneForNoRows) {
  Arguments from_input = command("classes");
  from_input[4] = "-";
  const Ran empty = run_command(from_input, "n\ttext\n1\t\n2\t...\n");
  EXPECT_EQ(empty.code, 0) << empty.err;
  ASSERT_EQ(lines_of(empty.out).size(), 2u);
  EXPECT_EQ(lines_of(empty.out)[0], lines_of(empty.out)[1]);
  const Ran none = run_command(from_input, "n\ttext\n");
  EXPECT_EQ(none.code, 0) << none.err;
  EXPECT_EQ(none.out, "");
}

TEST_F(Predict, TellsHowManyWordsItCut) {
  train("short", {"--label", "kind", "--max-words", "3"});
  Arguments from_input = command("short", {"--batch-tokens", "1"});
  from_input[4] = "-";
  const Ran ran = run_command(from_input, "text\na b c d\na b c\na b c d e\n");
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.err, "3 words behind the model's --max-words were cut from 2 long texts\n");
  EXPECT_EQ(run_command(from_input, "text\na b c\n").err, "");
}

TEST_F(Predict, KeepsTheOrderOverMoreTextsThanAreReadAtATime) {
  const std::vector<std::string> texts = {"It is the pear.", "One more word saw.", "A robin."};
  Arguments from_input = command("classes");
  from_input[4] = "-";
  std::vector<std::string> alone;
  alone.reserve(texts.size());
  for (const std::string& text : texts) {
    alone.push_back(run_command(from_input, "n\ttext\n1\t" + text + "\n").out);
  }
  // Two chunks are full of bytes and two of texts.
  const std::string spaces(30'000, ' ');
  std::string table = "n\ttext\n", expected;
  for (std::size_t i = 0; i < 40'000; ++i) {
    table += "1\t" + (i < 20 ? spaces : "") + texts[i % 3] + "\n";
    expected += alone[i % 3];
  }
  const Ran ran = run_command(from_input, table);
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(ran.out == expected);
}

TEST_F(Predict, WritesToAFileWhatItWritesToStandardOutput) {
  const Ran ran = run_command(command("classes", {"--out", path("out.jsonl")}));
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(read_file(path("out.jsonl"), 1 << 20), run_command(command("classes")).out);
  EXPECT_EQ(run_command(command("classes", {"--out", "-"})).out,
            run_command(command("classes")).out);
}

TEST_F(Predict, RemovesWhatAPredictionThatWasKilledHasLeft) {
  const std::string left = path(".again.jsonl.99999999.0.tmp");
  write_file(left, "half");
  const Ran ran = run_command(command("classes", {"--out", path("again.jsonl")}));
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_FALSE(fs::exists(left));
}

TEST_F(Predict, LeavesTheOldFileWhenARowIsBad) {
  write_file(path("kept.jsonl"), "old");
  Arguments from_input = command("classes", {"--out", path("kept.jsonl")});
  from_input[4] = "-";
  const Ran ran = run_command(from_input, "n\ttext\n1\ta\n2\n");
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.err,
            "padless predict: standard input:3: the row has 1 fields, expected 2 ('n', 'text')\n");
  EXPECT_EQ(read_file(path("kept.jsonl"), 100), "old");
}

TEST_F(Predict, SaysWhatIsMissing) {
  Arguments wrong = command("classes");
  wrong[6] = "body";
  const Ran column = run_command(wrong);
  EXPECT_EQ(column.code, 1);
  EXPECT_NE(
      column.err.find("has the columns 'kind', 'size', 'traits', 'text', expected a column 'body'"),
      std::string::npos)
      << column.err;
  const Ran model = run_command(command("nowhere"));
  EXPECT_EQ(model.code, 1);
  EXPECT_NE(model.err.find("nowhere/config.json: cannot open"), std::string::npos) << model.err;
  const Ran out = run_command(command("classes", {"--out", path("no/such/folder.jsonl")}));
  EXPECT_EQ(out.code, 1);
  EXPECT_NE(out.err.find("no/such/folder.jsonl: cannot write"), std::string::npos) << out.err;
}

TEST(Prediction, RefusesNumbersThatAreNotFinite) {
  require_finite({.scores = {0.25f, 0.75f}}, "row");
  EXPECT_THROW(require_finite({.scores = {0, NAN}}, "row"), FormatError);
  EXPECT_THROW(require_finite({.value = INFINITY}, "row"), FormatError);
}

}  // namespace
}  // namespace padless::cli
