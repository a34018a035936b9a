// A whole study on a small synthetic set: what it writes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "padless/core/error.h"
#include "padless/data/synthetic.h"
#include "padless/data/tsv.h"
#include "padless/io/atomic_file.h"
#include "padless/study/finding_for_test.h"
#include "padless/study/study.h"
#include "padless/study/study_json.h"
#include "padless/testing/bits.h"
#include "padless/testing/temporary_folder.h"
#include "padless/testing/xml.h"

namespace padless::study {
namespace {

/// A made-up set as a file like that of one's own.
void write_set(const std::filesystem::path& path) {
  const LabelledSet set = make_synthetic_set({.texts = 240, .classes = 3, .seed = 4});
  AtomicFile file(path);
  write_tsv(file.stream(), std::vector<std::string>{"section", "split", "text", "log_size"});
  for (std::size_t i = 0; i < set.texts.size(); ++i) {
    write_tsv(file.stream(),
              std::vector<std::string>{set.labels[i], std::string(split_name(set.splits[i])),
                                       set.texts[i], std::to_string(set.targets[i])});
  }
  file.commit();
}

/// One small study for all tests of this file.
class Study : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryFolder();
    write_set(*folder_ / "texts.tsv");
    Runtime runtime(Runtime::Options{.threads = 2});
    StudyOptions options{.effort = Effort::quick, .seed = 1, .file = *folder_ / "texts.tsv"};
    result_ = new StudyResult(
        run_study(runtime, options, [](std::string_view, double done, double seconds) {
          EXPECT_GE(done, 0);
          EXPECT_LE(done, 1 + 1e-9);
          EXPECT_GE(seconds, 0);
        }));
    write_study(*folder_ / "out" / "study", *result_);
  }
  static void TearDownTestSuite() {
    delete result_;
    delete folder_;
  }
  static std::string written(const char* name) {
    return read_file(*folder_ / "out" / "study" / name, std::size_t{1} << 26);
  }
  static const Finding& finding(std::string_view id) {
    const auto found = std::ranges::find(result_->findings, id, &Finding::id);
    if (found == result_->findings.end()) throw std::out_of_range("no " + std::string(id));
    return *found;
  }

  static TemporaryFolder* folder_;
  static StudyResult* result_;
};
TemporaryFolder* Study::folder_ = nullptr;
StudyResult* Study::result_ = nullptr;

TEST_F(Study, WritesTheKeysThatAreReadFromOutside) {
  const JsonDocument document = JsonDocument::parse(written("study.json"), "study.json");
  const JsonView root = document.root();
  for (const char* id : {"S1", "S2", "S3", "S4", "S5", "S6", "S7", "S8", "S9", "S10"}) {
    const JsonView claim = root.at("claims").at(id);
    const std::string& verdict = claim.at("verdict").as_string();
    EXPECT_TRUE(verdict == "holds" || verdict == "fails" || verdict == "mixed") << verdict;
    EXPECT_GT(claim.at("numbers").size(), 0u) << id;
  }
  const std::size_t seeds = result_->settings.seeds.size();
  for (const char* setting : {"exact", "no_mask"}) {
    for (const char* experiment : {"classification", "classification_encoder"}) {
      const JsonView one = root.at(experiment).at(setting);
      for (const char* key : {"accuracy", "macro_f1", "changed_predictions"}) {
        ASSERT_EQ(one.at(key).size(), experiment == std::string("classification") ? seeds : 1u)
            << setting << " " << key;
        for (const JsonView& value : one.at(key).elements()) {
          EXPECT_GE(value.as_double(), 0);
          EXPECT_LE(value.as_double(), 1);
        }
      }
    }
  }
  EXPECT_EQ(root.at("classification").size(), kSettings.size());
  for (const char* setting : {"exact", "no_mask"}) {
    const JsonView one = root.at("regression").at(setting);
    for (const char* key : {"mae", "r2", "spearman", "changed_predictions", "largest_change"}) {
      EXPECT_EQ(one.at(key).size(), 1u) << setting << " " << key;
    }
  }
  const JsonView five = root.at("five_words");
  EXPECT_EQ(five.at("alone").size(), five.at("unmasked").size());
  EXPECT_TRUE(five.at("masked_equals_alone").as_bool());
  for (const char* setting : {"masked", "unmasked"}) {
    EXPECT_GE(five.at("loss").at(setting).size(), 5u);
    EXPECT_EQ(five.at("loss_curves").at(setting).size(), five.at("loss").at(setting).size());
    EXPECT_LE(five.at("pad_predicted").at(setting).as_double(), 1);
    EXPECT_GE(five.at("gradient_noise").at(setting).as_double(), 0);
  }
  EXPECT_FALSE(root.at("machine").at("cpu").as_string().empty());
  EXPECT_EQ(root.at("machine").at("date").as_string().substr(0, 2), "20");
  EXPECT_GT(root.at("texts").at("count").as_double(), 100);  // of 240; a quick run takes a part
  EXPECT_EQ(root.at("texts").at("hash").as_string().size(), 16U);
  EXPECT_NE(root.at("texts").at("hash").as_string(), digest(LabelledSet{}));
  EXPECT_GT(root.at("seconds").as_double(), 0);
}

TEST_F(Study, ExactAnswersDoNotDependOnTheBatchAndUnmaskedOnesDo) {
  for (const ClassificationRun& run : result_->classification.runs) {
    if (run.setting == Setting::exact) {
      EXPECT_EQ(run.company.scores, 0);
      EXPECT_EQ(run.company.predictions, 0);
      EXPECT_EQ(run.company.largest_change, 0);
      EXPECT_EQ(run.word_pad_share, 0);
      EXPECT_EQ(run.test.accuracy, run.test_alone.accuracy);
    } else {
      EXPECT_GT(run.company.scores, 0.5);
      EXPECT_GT(run.word_pad_share, 0.2);
      EXPECT_GT(run.mean_mass_lost.back(), run.mean_mass_lost[1]);
    }
    EXPECT_EQ(run.mean_mass_lost[0], 0);
    EXPECT_EQ(run.word_pad_scores.size(), run.epochs + 1);
    EXPECT_EQ(run.word_pad_scores[0], 0);  // the bias is 0 before the first step
    EXPECT_NE(run.word_pad_scores.back(), 0);
  }
}

TEST_F(Study, TheWorkedExampleKeepsItsLengthByPadlessAlone) {
  const Json& s6 = finding("S6").numbers;
  EXPECT_EQ(four_decimals(numbers(s6, "worked_weights_exact")),
            (std::vector<double>{0.0875, 0.3568, 0.5557}));
  const Json& s7 = finding("S7").numbers;
  EXPECT_EQ(numbers(s7, "worked_length_ratio_exact"),
            std::vector<double>(std::size(kPadAmounts), 1.0));
  EXPECT_LT(numbers(s7, "worked_length_ratio").back(), 0.1);
}

TEST_F(Study, AnExactEncoderDoesNotDependOnTheBatchAndAnUnmaskedOneDoes) {
  ASSERT_EQ(result_->encoder.runs.size(), kSettings.size());
  for (const EncoderRun& run : result_->encoder.runs) {
    if (run.setting == Setting::exact) {
      EXPECT_EQ(run.company.scores, 0);
      EXPECT_EQ(run.test.accuracy, run.test_alone.accuracy);
    } else {
      EXPECT_GT(run.company.scores, 0.5);
    }
  }
}

TEST_F(Study, ExactNumbersDoNotDependOnTheBatchAndUnmaskedOnesDo) {
  ASSERT_TRUE(result_->regression.has_value());
  const Regression regression = result_->regression.value_or(Regression());
  ASSERT_EQ(regression.runs.size(), kSettings.size());
  for (const RegressionRun& run : regression.runs) {
    EXPECT_EQ(run.test.count, regression.test_texts);
    // In the target's own units, whose deviation is not 1: few texts teach little more than the
    // mean, but no multiple of its error.
    EXPECT_LT(run.test.mae, 1.5 * regression.mean_guessed.mae);
    if (run.setting == Setting::exact) {
      EXPECT_EQ(run.changed, 0);
      EXPECT_EQ(run.largest_change, 0);
      EXPECT_EQ(run.test.mae, run.test_alone.mae);
    } else {
      EXPECT_GT(run.changed, 0.5);
      EXPECT_GT(run.largest_change, run.mean_change);
      EXPECT_GT(run.mean_change, 0);
    }
  }
}

TEST_F(Study, WritesAPageThatIsWellFormedAndNeedsNothingFromOutside) {
  const std::string html = written("report.html");
  EXPECT_EQ(testing::xml_fault(html), "");
  for (const char* outside : {"src=", "url(", "@import", "<link", "<script", "href=\"http"}) {
    EXPECT_EQ(html.find(outside), std::string::npos) << outside;
  }
  const std::size_t pictures = testing::count_of("<svg", html);
  EXPECT_GE(pictures, 9u);
  EXPECT_EQ(testing::count_of("role=\"img\"", html), pictures);
  for (const Finding& finding : result_->findings) {
    EXPECT_NE(html.find("id=\"" + finding.id + "\""), std::string::npos);
  }
}

TEST_F(Study, IsTheSameWithAnotherNumberOfThreads) {
  Runtime runtime(Runtime::Options{.threads = 1});
  const StudyResult again = run_study(runtime, result_->options, [](auto...) {});
  ASSERT_EQ(again.classification.runs.size(), result_->classification.runs.size());
  for (std::size_t i = 0; i < again.classification.runs.size(); ++i) {
    const ClassificationRun& a = again.classification.runs[i];
    const ClassificationRun& b = result_->classification.runs[i];
    EXPECT_EQ(a.test.accuracy, b.test.accuracy);
    EXPECT_EQ(a.word_pad_scores, b.word_pad_scores);
    EXPECT_EQ(a.company.largest_change, b.company.largest_change);
  }
  ASSERT_TRUE(again.regression && result_->regression);
  for (std::size_t i = 0; i < again.regression->runs.size(); ++i) {
    EXPECT_EQ(again.regression->runs[i].test.mae, result_->regression->runs[i].test.mae);
  }
}

TEST(StudyData, DigestTellsSetsApart) {
  const LabelledSet set{.texts = {"a b", "c"},
                        .labels = {"x", "y"},
                        .targets = {1, 2},
                        .splits = {Split::train, Split::test}};
  EXPECT_EQ(digest(set), digest(LabelledSet(set)));
  std::set<std::string> digests = {digest(set)};
  LabelledSet other = set;
  other.texts = {"a ", "bc"};
  digests.insert(digest(other));
  other = set;
  other.labels = {"y", "x"};
  digests.insert(digest(other));
  other = set;
  other.targets[1] = -2;
  digests.insert(digest(other));
  other = set;
  other.splits[1] = Split::dev;
  digests.insert(digest(other));
  EXPECT_EQ(digests.size(), 5U);
}

TEST(StudyData, OfAFileWithoutSplitsIsSplit) {
  const TemporaryFolder folder;
  std::string table = "text\tsection\n";
  for (int i = 0; i < 200; ++i)
    table += "some words here\t" + std::string(i % 2 ? "a" : "b") + "\n";
  write_file(folder / "plain.tsv", table);
  const StudyData data =
      load_study_data({.file = folder / "plain.tsv", .train_share = 0.5}, [](std::string_view) {});
  EXPECT_EQ(data.kind, "file");
  const std::size_t train = data.set.indices_of(Split::train).size();
  EXPECT_GT(train, 50u);
  EXPECT_LT(train, 100u);
  EXPECT_GT(data.set.indices_of(Split::test).size(), 10u);
  EXPECT_TRUE(data.set.targets.empty());
}

TEST(StudyData, TakesNumbersWhereTheyAreOrAreAskedFor) {
  const TemporaryFolder folder;
  std::string table = "text\tsection\tsplit\tlog_size\tprice\n";
  for (const char* row : {"x\ta\ttrain", "y\tb\ttrain", "x\ta\tdev", "x\ta\ttest"}) {
    table += row + std::string("\t1.5\t7\n");
  }
  write_file(folder / "numbers.tsv", table);
  DataRequest request{.file = folder / "numbers.tsv"};
  const StudyData usual = load_study_data(request, [](std::string_view) {});
  EXPECT_EQ(usual.target, "log_size");
  EXPECT_EQ(usual.notes,
            (std::vector<std::string>{"The column log_size is taken as the number to be "
                                      "told of each text; --target names another."}));
  EXPECT_EQ(usual.set.targets, (std::vector<double>{1.5, 1.5, 1.5, 1.5}));
  request.columns.target = "price";
  const StudyData asked = load_study_data(request, [](std::string_view) {});
  EXPECT_EQ(asked.target, "price");
  EXPECT_TRUE(asked.notes.empty());
  EXPECT_EQ(asked.set.targets, (std::vector<double>{7, 7, 7, 7}));
  request.columns.target = "weight";
  EXPECT_ANY_THROW(load_study_data(request, [](std::string_view) {}));
}

TEST(StudyData, WithoutATestSplitIsRefused) {
  const TemporaryFolder folder;
  write_file(folder / "train.tsv", "text\tsection\tsplit\nx\ta\ttrain\ny\tb\ttrain\n");
  EXPECT_THROW(load_study_data({.file = folder / "train.tsv"}, [](std::string_view) {}),
               ValueError);
}

}  // namespace
}  // namespace padless::study
