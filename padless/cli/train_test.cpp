#include <gtest/gtest.h>

#include <algorithm>

#include "padless/cli/interrupted_for_test.h"
#include "padless/cli/run_for_test.h"
#include "padless/cli/training_log.h"
#include "padless/core/error.h"
#include "padless/data/table.h"
#include "padless/io/atomic_file.h"
#include "padless/io/json.h"
#include "padless/io/text_reader.h"
#include "padless/testing/temporary_folder.h"

namespace padless::cli {
namespace {

namespace fs = std::filesystem;

class Train : public testing::Test {
 protected:
  Train() { write_file(data_, small_table()); }

  Arguments command(const Arguments& more = {}) const {
    return Arguments{"train",  "--model", "han",   "--data",     data_.string(),
                     "--text", "text",    "--out", out_.string()} +
           tiny() + more;
  }
  Arguments classify(const Arguments& more = {}) const {
    return command(Arguments{"--label", "kind"} + more);
  }
  /// The error of a training on this table, which must fail.
  std::string failure_on(const std::string& table, const Arguments& learnt) const {
    write_file(data_, table);
    const Ran ran = run_command(command(learnt));
    EXPECT_EQ(ran.code, 1);
    EXPECT_EQ(ran.out, "");
    EXPECT_FALSE(fs::exists(out_));
    return ran.err;
  }

  TemporaryFolder folder_;
  const fs::path data_ = folder_ / "data.tsv";
  const fs::path out_ = folder_ / "han";
};

TEST_F(Train, WritesAModelAndALog) {
  const Ran ran = run_command(classify());
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(fs::exists(out_ / "config.json"));
  EXPECT_TRUE(fs::exists(out_ / "model.safetensors"));
  const TrainingLog log = read_training_log(out_ / "log.jsonl");
  ASSERT_EQ(log.epochs.size(), 2u);
  EXPECT_TRUE(log.epochs[0].accuracy && log.epochs[1].macro_f1);
  EXPECT_TRUE(log.end);
  EXPECT_NE(ran.out.find("the model of epoch "), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("validation texts"), std::string::npos) << ran.out;
  EXPECT_NE(ran.err.find("epoch 1/2: loss "), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find("epoch 2/2: loss "), std::string::npos) << ran.err;
  // No bar where there is no terminal.
  EXPECT_EQ(ran.err.find('\r'), std::string::npos);
}

TEST_F(Train, SaysThatFewTextsValidate) {
  const std::string way_out =
      "; give more texts, a larger share of them, or more rows of the split dev";
  const auto expect_warning = [&](const Arguments& more, const std::string& warning) {
    const Ran ran = run_command(classify(more));
    ASSERT_EQ(ran.code, 0) << ran.err;
    EXPECT_NE(ran.err.find("\n" + warning + way_out + " (--validation-share, --split)\n"),
              std::string::npos)
        << ran.err;
    const TrainingLog log = read_training_log(out_ / "log.jsonl");
    EXPECT_EQ(log.warning, warning + way_out);
    fs::remove_all(out_);
  };
  expect_warning({"--validation-share", "0"},
                 "no text validates: the best epoch is that of the least training loss");
  write_file(data_, small_table(100));
  expect_warning({"--validation-share", "0.2"},
                 "few texts validate, 15: fewer than 50, chance has a part in which epoch is the "
                 "best");

  const Ran ran = run_command(classify({"--validation-share", "0.8"}));
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.err.find("validates"), std::string::npos) << ran.err;
  EXPECT_EQ(ran.err.find("texts validate"), std::string::npos) << ran.err;
  const TrainingLog log = read_training_log(out_ / "log.jsonl");
  EXPECT_GE(log.validation_texts, 50u);
  EXPECT_FALSE(log.warning);
}

TEST_F(Train, LearnsNumbers) {
  const Ran ran = run_command(command({"--target", "size"}));
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_NE(ran.out.find("mean absolute error"), std::string::npos) << ran.out;
}

TEST_F(Train, LearnsSeveralLabels) {
  const Ran ran = run_command(command({"--labels", "traits"}));
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_NE(ran.err.find("; 4 labels\n"), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find(", mean average precision "), std::string::npos) << ran.err;
  EXPECT_NE(ran.out.find("subset accuracy 0."), std::string::npos) << ran.out;
  const JsonDocument config = JsonDocument::read(out_ / "config.json");
  EXPECT_EQ(config.root().at("answer").as_string(), "labels");
  EXPECT_EQ(config.root().at("labels").size(), 4u);
  EXPECT_EQ(config.root().at("labels").at(2).as_string(), "long");
}

TEST_F(Train, ReadsSeveralLabelsOfEveryFormatTheSame) {
  ASSERT_EQ(run_command(command({"--labels", "traits"})).code, 0);
  const std::string expected = bytes_of(out_ / "model.safetensors");
  std::string jsonl, csv = "traits,text\n";
  TableReader table(data_);
  table.select(std::vector<std::string>{"text"});
  table.select_list("traits", "|");
  for (TableReader::Row row; table.next(row);) {
    jsonl += Json::object()
                 .set("text", row.fields[0])
                 .set("traits", Json::array_of(row.list))
                 .compact() +
             "\n";
    csv += '"';
    for (const std::string& label : row.list) csv += message(' ', label, " , ", label, ',');
    csv += "\",\"" + row.fields[0] + "\"\n";
  }
  const std::vector<std::pair<std::string, Arguments>> tables = {
      {jsonl, {}}, {csv, {"--format", "csv", "--label-separator", ","}}};
  for (const auto& [text, more] : tables) {
    fs::remove_all(out_);
    Arguments from_input = command(Arguments{"--labels", "traits"} + more);
    from_input[4] = "-";
    const Ran ran = run_command(from_input, text);
    ASSERT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(bytes_of(out_ / "model.safetensors"), expected);
  }
}

TEST_F(Train, ReadsStandardInputAsItReadsAFile) {
  ASSERT_EQ(run_command(classify()).code, 0);
  const std::string from_file = bytes_of(out_ / "model.safetensors");
  fs::remove_all(out_);
  Arguments arguments = classify();
  arguments[4] = "-";
  const Ran ran = run_command(arguments, small_table());
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(bytes_of(out_ / "model.safetensors"), from_file);
}

TEST_F(Train, TakesTheFirstRowsAlone) {
  ASSERT_EQ(run_command(classify({"--limit", "12"})).code, 0);
  const TrainingLog log = read_training_log(out_ / "log.jsonl");
  EXPECT_EQ(log.texts + log.validation_texts, 12u);
}

TEST_F(Train, GivesTheSameModelForAnyThreads) {
  for (const Arguments& learnt : {Arguments{"--label", "kind"}, Arguments{"--labels", "traits"}}) {
    std::string one;
    for (const char* threads : {"1", "2", "3"}) {
      Arguments arguments = command(learnt);
      *(std::ranges::find(arguments, "--threads") + 1) = threads;
      ASSERT_EQ(run_command(arguments).code, 0);
      const std::string model = bytes_of(out_ / "model.safetensors");
      if (one.empty()) one = model;
      EXPECT_EQ(model, one) << learnt[0] << ' ' << threads;
      fs::remove_all(out_);
    }
  }
}

TEST_F(Train, RecordsItsOptionsInTheModel) {
  ASSERT_EQ(run_command(classify({"--lines-are-sentences", "--keep-case", "--max-words", "7",
                                  "--gru", "reset-before", "--dropout", "0.5"}))
                .code,
            0);
  const JsonDocument config = JsonDocument::read(out_ / "config.json");
  const JsonView tokenizer = config.root().at("tokenizer");
  EXPECT_TRUE(tokenizer.at("lines_are_sentences").as_bool());
  EXPECT_FALSE(tokenizer.at("lower_case").as_bool());
  EXPECT_EQ(tokenizer.at("max_words").as_size(), 7u);
  EXPECT_EQ(config.root().at("vocabulary_limits").at("min_count").as_size(), 1u);
  EXPECT_EQ(config.root().at("vocabulary_limits").at("max_size").as_size(), 50'000u);
  EXPECT_EQ(config.root().at("gru").as_string(), "reset_before");
  EXPECT_EQ(config.root().at("dropout").as_float(), 0.5f);
  EXPECT_EQ(config.root().at("sentence_hidden").as_size(), 4u);
}

TEST_F(Train, TakesAnOptimizerAScheduleAndClassWeights) {
  const Arguments choices = {"--optimizer", "sgd",    "--momentum",      "0.5",     "--nesterov",
                             "--schedule",  "linear", "--class-weights", "balanced"};
  const Ran ran = run_command(classify(choices));
  ASSERT_EQ(ran.code, 0) << ran.err;
  TextReader lines(out_ / "log.jsonl");
  std::string line;
  ASSERT_TRUE(lines.next(line));
  const JsonDocument document = JsonDocument::parse(line, "log.jsonl");
  const JsonView start = document.root();
  EXPECT_EQ(start.at("optimizer").as_string(), "sgd");
  EXPECT_EQ(start.at("momentum").as_float(), 0.5f);
  EXPECT_TRUE(start.at("nesterov").as_bool());
  EXPECT_EQ(start.at("schedule").as_string(), "linear");
  EXPECT_EQ(start.at("class_weights").as_string(), "balanced");
  EXPECT_EQ(start.at("weights_of_classes").size(), 3u);

  const Ran other = run_command(classify({"--resume", "--optimizer", "sgd"}));
  EXPECT_EQ(other.code, 1);
  EXPECT_NE(other.err.find(R"('momentum' was 0.5 and is 0.9, 'nesterov' was true and is false, )"
                           R"('schedule' was "linear" and is "cosine", 'class_weights' was )"
                           R"("balanced" and is "none")"),
            std::string::npos)
      << other.err;
}

TEST_F(Train, ShowsItsChoicesInItsHelp) {
  const Ran ran = run_command({"train", "--help"});
  EXPECT_EQ(ran.code, 0);
  for (const char* part :
       {"--optimizer adamw|sgd=adamw", "--momentum X=0.9", "--nesterov",
        "--schedule cosine|linear|constant=cosine", "--class-weights none|balanced=none"}) {
    EXPECT_NE(ran.out.find(part), std::string::npos) << part << '\n' << ran.out;
  }
}

TEST_F(Train, RefusesChoicesThatItDoesNotHaveOrThatHaveNoPart) {
  const auto error = [&](const Arguments& arguments) {
    const Ran ran = run_command(arguments);
    EXPECT_EQ(ran.code, 2);
    EXPECT_FALSE(fs::exists(out_));
    return ran.err.substr(0, ran.err.find('\n'));
  };
  EXPECT_EQ(error(classify({"--optimizer", "lion"})),
            "padless train: --optimizer is \"lion\", expected adamw|sgd");
  EXPECT_EQ(error(classify({"--schedule", "step"})),
            "padless train: --schedule is \"step\", expected cosine|linear|constant");
  EXPECT_EQ(error(classify({"--class-weights", "2"})),
            "padless train: --class-weights is \"2\", expected none|balanced");
  EXPECT_EQ(error(classify({"--optimizer", "sgd", "--momentum", "1"})),
            "padless train: --momentum is \"1\", expected a number from 0 to below 1");
  EXPECT_EQ(
      error(classify({"--momentum", "0.5"})),
      "padless train: --momentum is given, which --optimizer sgd has, expected no such option "
      "with --optimizer adamw");
  EXPECT_EQ(
      error(classify({"--nesterov"})),
      "padless train: --nesterov is given, which --optimizer sgd has, expected no such option "
      "with --optimizer adamw");
  EXPECT_EQ(error(classify({"--optimizer", "sgd", "--nesterov", "--momentum", "0"})),
            "padless train: --nesterov is given with --momentum 0, expected a momentum above 0");
  EXPECT_EQ(error(command({"--target", "size", "--class-weights", "balanced"})),
            "padless train: --class-weights is balanced with --target, expected it with --label");
  EXPECT_EQ(error(command({"--labels", "traits", "--class-weights", "balanced"})),
            "padless train: --class-weights is balanced with --labels, expected it with --label");
  EXPECT_EQ(error(command({"--labels", "traits", "--label-smoothing", "0.1"})),
            "padless train: --label-smoothing is 0.1 with --labels, expected it with --label");
  EXPECT_EQ(error(command({"--target", "size", "--label-smoothing", "0.1"})),
            "padless train: --label-smoothing is 0.1 with --target, expected it with --label");
}

TEST_F(Train, SaysWhatItCutAndWhatItHasNotSeen) {
  write_file(data_,
             "split\tkind\ttext\n"
             "train\ta\tone two three four\n"
             "train\tb\tfive six\n"
             "dev\tc\tseven\n"
             "test\td\tnever read\n");
  const Ran ran = run_command(classify({"--split", "split", "--max-words", "3"}));
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_NE(ran.out.find("1 words behind --max-words were cut"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("1 validation texts have a label that no training text has"),
            std::string::npos)
      << ran.out;
}

TEST_F(Train, RefusesAValidationShareBesideRowsThatValidate) {
  const std::string table = "split\tkind\ttext\ntrain\ta\tone\ntrain\tb\ttwo\ntrain\ta\tthree\n";
  write_file(data_, table + "dev\ta\tfour\n");
  const Arguments share = {"--split", "split", "--validation-share", "0.3"};
  const Ran ran = run_command(classify(share));
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(ran.err, "padless train: --validation-share is given, and in " + data_.string() +
                         " 'split' is dev in 1 rows, which validate; expected one of the two\n");
  EXPECT_FALSE(fs::exists(out_));
  write_file(data_, table);
  EXPECT_EQ(run_command(classify(share)).code, 0);
}

TEST_F(Train, RefusesAUsedFolder) {
  fs::create_directory(out_);
  write_file(out_ / "thesis.txt", "mine");
  const Ran ran = run_command(classify());
  EXPECT_EQ(ran.code, 1);
  EXPECT_NE(ran.err.find("not empty"), std::string::npos) << ran.err;
  EXPECT_EQ(std::distance(fs::directory_iterator(out_), fs::directory_iterator()), 1);
}

TEST_F(Train, RefusesAFinishedTrainingsFolderUnlessItIsToResume) {
  ASSERT_EQ(run_command(classify()).code, 0);
  const Ran ran = run_command(classify());
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.err, "padless train: " + out_.string() +
                         ": a training was begun there, expected another folder (or --resume, to "
                         "go on)\n");
}

TEST_F(Train, ResumesInAnEmptyFolderByStarting) {
  fs::create_directory(out_);
  EXPECT_EQ(run_command(classify({"--resume"})).code, 0);
  EXPECT_TRUE(fs::exists(out_ / "model.safetensors"));
}

TEST_F(Train, ResumesAFinishedTrainingByDoingNothing) {
  ASSERT_EQ(run_command(classify()).code, 0);
  const auto before = fs::last_write_time(out_ / "model.safetensors");
  const Ran ran = run_command(classify({"--resume"}));
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_NE(ran.out.find("this training is finished"), std::string::npos) << ran.out;
  EXPECT_EQ(fs::last_write_time(out_ / "model.safetensors"), before);

  // A line that a machine's end has torn is no reason to fail.
  const std::string log = bytes_of(out_ / "log.jsonl");
  write_file(out_ / "log.jsonl", log + R"({"event":"e)");
  const Ran torn = run_command(classify({"--resume"}));
  EXPECT_EQ(torn.code, 0) << torn.err;
  EXPECT_EQ(torn.out, ran.out);
  EXPECT_EQ(bytes_of(out_ / "log.jsonl"), log);
}

TEST_F(Train, InterruptedAfterEveryBatchGivesTheSameModel) {
  expect_the_same_model_interrupted(classify(), out_);
}

TEST_F(Train, OfSeveralLabelsInterruptedAfterEveryBatchGivesTheSameModel) {
  expect_the_same_model_interrupted(command({"--labels", "traits"}), out_);
}

TEST_F(Train, FindsFaultWithItsTableInPlainWords) {
  const Arguments by_kind = {"--label", "kind"};
  struct Case {
    std::string table;
    Arguments learnt;
    std::string part;
  };
  const std::vector<Case> cases = {
      {"", by_kind, "is empty, expected a line with the columns' names"},
      {"kind\ttext\n", by_kind, "has no rows"},
      {"kind\tbody\na\tx\n", by_kind, "expected a column 'text'"},
      {small_table(), {"--label", "species"}, "expected a column 'species'"},
      {small_table(), {"--label", "kind", "--split", "fold"}, "expected a column 'fold'"},
      {"kind\ttext\na\tx\nb\n", by_kind, "data.tsv:3: the row has 1 fields, expected 2"},
      {"kind\ttext\na\tx\n\ty\n", by_kind, "data.tsv:3: 'kind' is \"\", expected a class name"},
      {"kind\ttext\na\tx\na\ty\n", by_kind, "expected at least two classes"},
      {"kind\ttext\n\tx\n | \ty\n", {"--labels", "kind"}, "texts has a label, expected some"},
      {"kind\ttext\na\tx\nb\t\xFF\n", by_kind, "data.tsv:3: wrong encoding"},
      {"size\ttext\n1\tx\nbig\ty\n",
       {"--target", "size"},
       "data.tsv:3: 'size' is \"big\", expected a number from -1e100 to 1e100"},
  };
  for (const Case& one : cases) {
    const std::string error = failure_on(one.table, one.learnt);
    EXPECT_EQ(error.find("padless train: "), 0u) << error;
    EXPECT_NE(error.find(one.part), std::string::npos) << error;
  }
}

TEST_F(Train, WantsAFileThatIsThere) {
  fs::remove(data_);
  const Ran ran = run_command(classify());
  EXPECT_EQ(ran.code, 1);
  EXPECT_NE(ran.err.find("data.tsv: cannot open: No such file"), std::string::npos) << ran.err;
}

TEST_F(Train, WantsOneThingToLearn) {
  const auto error = [&](const Arguments& learnt) {
    const Ran ran = run_command(command(learnt));
    EXPECT_EQ(ran.code, 2);
    return ran.err.substr(0, ran.err.find('\n'));
  };
  EXPECT_EQ(error({}),
            "padless train: none of --label, --labels and --target is given, expected one of them");
  EXPECT_EQ(error({"--label", "kind", "--labels", "traits"}),
            "padless train: --label and --labels are given, expected one of them");
  EXPECT_EQ(error({"--labels", "traits", "--target", "size"}),
            "padless train: --labels and --target are given, expected one of them");
  EXPECT_EQ(error({"--label", "kind", "--label-separator", ","}),
            "padless train: --label-separator is given with --label, expected it with --labels");
  EXPECT_EQ(error({"--labels", "traits", "--label-separator", ""}),
            "padless train: --label-separator is \"\", expected some character");
}

TEST_F(Train, SaysHowManyTextsHaveLabelsThatItHasNotSeen) {
  write_file(data_,
             "split\ttags\ttext\n"
             "train\ta\tone\n"
             "train\t\ttwo\n"
             "dev\ta|b|c\tthree\n"
             "dev\ta\tfour\n");
  const Ran ran = run_command(command({"--labels", "tags", "--split", "split"}));
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_NE(ran.out.find("1 validation texts have a label that no training text has; it counts as "
                         "not found\n"),
            std::string::npos)
      << ran.out;
}

}  // namespace
}  // namespace padless::cli
