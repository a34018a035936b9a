#include "padless/cli/run.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <streambuf>

#include "padless/cli/run_for_test.h"

namespace padless::cli {
namespace {

const Arguments kTrain = {"train",  "--model", "han",     "--data", "x.tsv",
                          "--text", "text",    "--label", "kind",   "--out"};

TEST(CommandLine, WithoutACommandIsWrongUse) {
  const Ran ran = run_command({});
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(
      ran.err,
      "padless: no command is given, expected one of train, predict, evaluate, explain, data, "
      "study, info\n");
}

TEST(CommandLine, RefusesAnUnknownCommandAndListsTheKnown) {
  const Ran ran = run_command({"trian"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(ran.err.find("padless: there is no command 'trian', expected one of train, predict"),
            0u)
      << ran.err;
}

TEST(CommandLine, RefusesWhatIsMissingUnknownOrUnreadable) {
  struct Case {
    Arguments arguments;
    std::string message;
  };
  const std::vector<Case> cases = {
      {{"predict"}, "padless predict: --model is required; padless predict --help lists"},
      {{"info", "--colour"}, "padless info: The following argument was not expected: --colour;"},
      {{"data"}, "padless data: no command is given, expected one of debian, synthetic"},
      {{"data", "foo", "--out", "x"},
       "padless data: there is no command 'foo', expected one of debian, synthetic\n"},
      {{"data", "debian", "--out", "x", "--cache", ""}, "padless data debian: --cache is \"\", "},
      {{"data", "synthetic", "--out", ""},
       "padless data synthetic: --out is \"\", expected the name of a file or folder\n"},
      {{"study", "--out", ""}, "padless study: --out is \"\", expected the name of a file"},
      {{"study", "--data", ""}, "padless study: --data is \"\", expected the name of a file"},
      {{"predict", "--model", ""}, "padless predict: --model is \"\", expected the name of a"},
      {{"evaluate", "--data", ""}, "padless evaluate: --data is \"\", expected the name of a"},
      {{"predict", "--out", ""}, "padless predict: --out is \"\", expected the name of a file"},
      {kTrain + Arguments{""}, "padless train: --out is \"\", expected the name of a file"},
      {{"data", "synthetic"}, "padless data synthetic: --out is required;"},
      {{"data", "synthetic", "--out", "x", "--classes", "1"},
       "padless data synthetic: --classes is \"1\", expected a whole number from 2 to 1000"},
      {kTrain + Arguments{"x", "--epochs", "4k"},
       "padless train: --epochs is \"4k\", expected a whole number from 1"},
      {kTrain + Arguments{"x", "--seed", "-1"},
       "padless train: --seed is \"-1\", expected a whole number"},
      {kTrain + Arguments{"x", "--checkpoint-steps", "0"},
       "padless train: --checkpoint-steps is \"0\", expected a whole number from 1"},
      {kTrain + Arguments{"x", "--dropout", "1"},
       "padless train: --dropout is \"1\", expected a number from 0 to 0.99998 (65535/65536)"},
      {kTrain + Arguments{"x", "--dropout", "0.999999"},
       "padless train: --dropout is \"0.999999\", expected a number from 0 to 0.99998 "
       "(65535/65536)"},
      {kTrain + Arguments{"x", "--validation-share", "1"},
       "padless train: --validation-share is \"1\", expected a number from 0 to below 1"},
      {kTrain + Arguments{"x", "--learning-rate", "nan"},
       "padless train: --learning-rate is \"nan\", expected a number above 0\n"},
      {kTrain + Arguments{"x", "--learning-rate", "-1e99"},
       "padless train: --learning-rate is \"-1e99\", expected a number above 0\n"},
      {kTrain + Arguments{"x", "--learning-rate", "1e99"},
       "padless train: --learning-rate is \"1e99\", expected a number above 0 as 32 bits hold it: "
       "from 1.4013e-45 to 3.40282e+38\n"},
      {kTrain + Arguments{"x", "--learning-rate", "1e-300"},
       "padless train: --learning-rate is \"1e-300\", expected a number above 0 as 32 bits hold "
       "it: from 1.4013e-45 to 3.40282e+38\n"},
      {kTrain + Arguments{"x", "--momentum", "1e-60"},
       "padless train: --momentum is \"1e-60\", expected a number from 0 to below 1 as 32 bits "
       "hold it: 0, or from 1.4013e-45 to "},
      {kTrain + Arguments{"x", "--gru", "reset"},
       "padless train: --gru is \"reset\", expected reset-after|reset-before"},
      {kTrain + Arguments{"x", "--format", "xlsx"},
       "padless train: --format is \"xlsx\", expected csv, tsv or jsonl"},
      {kTrain + Arguments{"x", "--shards", "3"},
       "padless train: --shards is \"3\", expected a power of two"},
      {kTrain + Arguments{"x", "--target", "size"},
       "padless train: --label and --target are given, expected one of them"},
      {{"train", "--model", "lstm"}, "padless train: --model is \"lstm\", expected han"},
  };
  for (const Case& use : cases) {
    const Ran ran = run_command(use.arguments);
    EXPECT_EQ(ran.code, 2) << use.message;
    EXPECT_EQ(ran.out, "");
    EXPECT_EQ(ran.err.find(use.message), 0u) << ran.err;
  }
}

TEST(CommandLine, HelpsWithExamples) {
  for (const Arguments& command : std::vector<Arguments>{
           {}, {"train"}, {"predict"}, {"evaluate"}, {"explain"}, {"data"}, {"info"}}) {
    const Ran ran = run_command(command + Arguments{"--help"});
    EXPECT_EQ(ran.code, 0);
    EXPECT_EQ(ran.err, "");
    EXPECT_NE(ran.out.find("Example"), std::string::npos) << ran.out;
  }
}

TEST(CommandLine, TellsItsVersion) {
  const Ran ran = run_command({"--version"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out.find("padless "), 0u) << ran.out;
}

TEST(CommandLine, RefusesAnUnknownInstructionSet) {
  const char* before = std::getenv("PADLESS_ISA");
  const std::string kept = before == nullptr ? "" : before;
  ::setenv("PADLESS_ISA", "mmx", 1);
  const Ran ran = run_command({"info"});
  ::setenv("PADLESS_ISA", kept.c_str(), 1);
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.err.find("padless info: PADLESS_ISA: "), 0u) << ran.err;
  EXPECT_NE(ran.err.find("'mmx'"), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find("scalar, avx2"), std::string::npos) << ran.err;
}

/// Where nothing can be written, for the reason `error`.
class Full : public std::streambuf {
 public:
  explicit Full(int error) : error_(error) {}

 protected:
  int_type overflow(int_type) override {
    errno = error_;
    return traits_type::eof();
  }

 private:
  int error_;
};

Ran run_into(Full& full, const Arguments& arguments) {
  std::istringstream in;
  std::ostream out(&full);
  std::ostringstream err;
  const int code = run(arguments, {.in = in, .out = out, .err = err});
  return {code, "", err.str()};
}

TEST(CommandLine, TellsOfAFullDisk) {
  Full full(ENOSPC);
  for (const Arguments& arguments : std::vector<Arguments>{{"info"}, {"--help"}}) {
    const Ran ran = run_into(full, arguments);
    EXPECT_EQ(ran.code, 1);
    EXPECT_NE(ran.err.find("standard output: cannot write: No space left"), std::string::npos)
        << ran.err;
  }
}

TEST(CommandLine, IsQuietWhenItsReaderHasGone) {
  Full closed(EPIPE);
  const Ran ran = run_into(closed, {"info"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.err, "");
}

}  // namespace
}  // namespace padless::cli
