// The commands with an encoder.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "padless/cli/interrupted_for_test.h"
#include "padless/cli/run_for_test.h"
#include "padless/io/json.h"
#include "padless/testing/temporary_folder.h"

namespace padless::cli {
namespace {

namespace fs = std::filesystem;

class TrainEncoder : public testing::Test {
 protected:
  TrainEncoder() { write_file(data_, small_table()); }

  Arguments command(const Arguments& more = {}) const {
    return Arguments{"train",
                     "--model",
                     "encoder",
                     "--data",
                     data_.string(),
                     "--text",
                     "text",
                     "--out",
                     out_.string(),
                     "--label",
                     "kind",
                     "--epochs",
                     "2",
                     "--width",
                     "8",
                     "--heads",
                     "2",
                     "--min-count",
                     "1",
                     "--threads",
                     "1",
                     "--shards",
                     "2",
                     "--batch-tokens",
                     "20"} +
           more;
  }

  TemporaryFolder folder_;
  const fs::path data_ = folder_ / "data.tsv";
  const fs::path out_ = folder_ / "encoder";
};

TEST_F(TrainEncoder, TrainsPredictsEvaluatesAndExplains) {
  const Ran trained = run_command(command());
  ASSERT_EQ(trained.code, 0) << trained.err;
  const Ran predicted = run_command(
      {"predict", "--model", out_.string(), "--data", data_.string(), "--text", "text"});
  EXPECT_EQ(predicted.code, 0) << predicted.err;
  EXPECT_EQ(std::ranges::count(predicted.out, '\n'), 24);
  const Ran evaluated = run_command({"evaluate", "--model", out_.string(), "--data", data_.string(),
                                     "--text", "text", "--label", "kind"});
  EXPECT_EQ(evaluated.code, 0) << evaluated.err;
  const Ran explained = run_command({"explain", "--model", out_.string(), "--text",
                                     "It is the pear. One more word.", "--format", "json"});
  ASSERT_EQ(explained.code, 0) << explained.err;
  const JsonDocument json = JsonDocument::parse(explained.out, "explained");
  EXPECT_EQ(json.root().at("words").size(), 7u);
  EXPECT_EQ(json.root().at("word_weights").size(), 7u);
  EXPECT_EQ(json.root().at("sentence_weights").size(), 2u);
}

TEST_F(TrainEncoder, RecordsItsOptionsInTheModel) {
  const Ran ran = run_command(command({"--layers",
                                       "1",
                                       "--key-heads",
                                       "1",
                                       "--feed-forward",
                                       "9",
                                       "--activation",
                                       "silu",
                                       "--gated",
                                       "--norm",
                                       "rms",
                                       "--norm-place",
                                       "post",
                                       "--positions",
                                       "alibi",
                                       "--pooling",
                                       "additive-attention",
                                       "--attention",
                                       "5",
                                       "--share-layers",
                                       "--dropout",
                                       "0.3",
                                       "--max-words",
                                       "30"}));
  ASSERT_EQ(ran.code, 0) << ran.err;
  const JsonDocument document = JsonDocument::read(out_ / "config.json");
  const JsonView config = document.root();
  EXPECT_EQ(config.at("model").as_string(), "encoder");
  EXPECT_EQ(config.at("width").as_size(), 8u);
  EXPECT_EQ(config.at("layers").as_size(), 1u);
  EXPECT_EQ(config.at("heads").as_size(), 2u);
  EXPECT_EQ(config.at("key_heads").as_size(), 1u);
  EXPECT_EQ(config.at("feed_forward").as_size(), 9u);
  EXPECT_EQ(config.at("activation").as_string(), "silu");
  EXPECT_TRUE(config.at("gated").as_bool());
  EXPECT_EQ(config.at("norm").as_string(), "rms");
  EXPECT_EQ(config.at("norm_place").as_string(), "post");
  EXPECT_EQ(config.at("positions").as_string(), "alibi");
  EXPECT_EQ(config.at("pooling").as_string(), "additive-attention");
  EXPECT_EQ(config.at("pooling_attention").as_size(), 5u);
  EXPECT_TRUE(config.at("share_layers").as_bool());
  EXPECT_EQ(config.at("dropout").as_float(), 0.3f);
  EXPECT_EQ(config.at("max_length").as_size(), 30u);
  EXPECT_EQ(config.at("tokenizer").at("max_words").as_size(), 30u);
}

TEST_F(TrainEncoder, HasItsOwnDefaults) {
  ASSERT_EQ(run_command(command()).code, 0);
  const JsonDocument document = JsonDocument::read(out_ / "config.json");
  EXPECT_EQ(document.root().at("feed_forward").as_size(), 32u);
  EXPECT_EQ(document.root().at("dropout").as_float(), 0.1f);
  EXPECT_EQ(document.root().at("tokenizer").at("max_words").as_size(), 512u);
}

TEST_F(TrainEncoder, ReadsTextsOfAnyLengthWhereThereIsNoTableOfPositions) {
  const Ran ran = run_command(command({"--max-words", "16777216", "--positions", "alibi"}));
  EXPECT_EQ(ran.code, 0) << ran.err;
}

TEST_F(TrainEncoder, InterruptedAfterEveryBatchGivesTheSameModel) {
  expect_the_same_model_interrupted(command(), out_);
}

TEST_F(TrainEncoder, RefusesOptionsOfAnotherKindAndSizesThatDoNotFit) {
  const auto error = [&](const Arguments& more) {
    const Ran ran = run_command(command(more));
    EXPECT_EQ(ran.code, 2);
    EXPECT_FALSE(fs::exists(out_));
    return ran.err;
  };
  EXPECT_NE(error({"--pooling", "mean", "--attention", "4"})
                .find("--attention is given, which --pooling additive-attention has"),
            std::string::npos);
  EXPECT_NE(error({"--hidden", "4"})
                .find("--hidden is given, which --model han has, expected an option of --model "
                      "encoder"),
            std::string::npos);
  EXPECT_EQ(error({"--pooling", "per-token"}),
            "padless train: --pooling is \"per-token\", expected "
            "mean|max|first|additive-attention\n");
  const auto error_of_width = [&](const std::string& width) {
    Arguments wide = command();
    *std::ranges::find(wide, "8") = width;
    const Ran ran = run_command(wide);
    EXPECT_EQ(ran.code, 2);
    return ran.err;
  };
  EXPECT_EQ(error_of_width("3"),
            "padless train: --width is 3, expected a multiple of --heads, 2\n");
  EXPECT_EQ(error_of_width("16777216"),
            "padless train: --width is 16777216, and four times that 67108864 for --feed-forward, "
            "expected at most 16777216; --feed-forward names another\n");
  EXPECT_EQ(error({"--key-heads", "3"}),
            "padless train: MultiHeadAttention: key_heads is 3, expected a divisor of heads, 2\n");
  const std::string too_long =
      "padless train: TransformerEncoder: max_length is 16777216, expected at most 2097152 for "
      "tables of positions 8 wide; give a smaller one, or positions without a table (alibi, none) "
      "(--max-words, --positions)\n";
  EXPECT_EQ(error({"--max-words", "16777216"}), too_long);
  EXPECT_EQ(error({"--max-words", "16777216", "--positions", "sinusoidal"}), too_long);
  Arguments han = command();
  han[2] = "han";
  const Ran ran = run_command(han);
  EXPECT_EQ(ran.code, 2);
  EXPECT_NE(ran.err.find("--width is given, which --model encoder has"), std::string::npos)
      << ran.err;
}

}  // namespace
}  // namespace padless::cli
