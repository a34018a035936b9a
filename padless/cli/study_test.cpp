#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include "padless/cli/run_for_test.h"
#include "padless/io/json.h"
#include "padless/testing/temporary_folder.h"

namespace padless::cli {
namespace {

TEST(Study, OfTextsOfOnesOwnWritesReportAndNumbers) {
  const TemporaryFolder folder;
  write_file(folder / "data.tsv", small_table(150));
  const std::filesystem::path out = folder / "deep" / "study";
  make_folder(out);
  const std::string left = ".99999999.0.tmp";  // by a study that was killed
  for (const char* file : {".report.html", ".study.json"}) write_file(out / (file + left), "half");
  const Ran ran = run_command({"study", "--quick", "--seed", "2", "--threads", "1", "--data",
                               (folder / "data.tsv").string(), "--text", "text", "--label", "kind",
                               "--out", out.string()});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(std::filesystem::exists(out / "report.html"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(out), {}), 2);
  const JsonDocument document = JsonDocument::read(out / "study.json");
  EXPECT_EQ(document.root().at("experiment").at("seeds").at(std::size_t{0}).as_size(), 2u);
  for (const char* part : {"S1 mixed: Zero pads water the weights down\n    The pads do ",
                           "\nS2 holds: Multiplying by the mask gives the weights\n    ", "\nS7 ",
                           "report.html\n", "study.json\n"}) {
    EXPECT_NE(ran.out.find(part), std::string::npos) << part;
  }
  EXPECT_NE(ran.err.find("training exact, seed 2"), std::string::npos) << ran.err;
}

TEST(Study, SaysInALineThatItTakesAColumnUnasked) {
  const TemporaryFolder folder;
  std::string table = "text\tkind\tlog_size\tprice\n";
  for (int i = 0; i < 90; ++i) {
    table += i % 2 == 0 ? "a red day\twarm\t1.5\t7\n" : "a blue day\tcold\t2.5\t8\n";
  }
  write_file(folder / "data.tsv", table);
  const auto first_line = [&folder](std::vector<std::string> more) {
    std::vector<std::string> words = {"study",     "--quick",
                                      "--threads", "1",
                                      "--data",    (folder / "data.tsv").string(),
                                      "--label",   "kind",
                                      "--out",     (folder / "out").string()};
    words.insert(words.end(), more.begin(), more.end());
    const Ran ran = run_command(words);
    EXPECT_EQ(ran.code, 0) << ran.err;
    return ran.out.substr(0, ran.out.find('\n'));
  };
  EXPECT_EQ(first_line({}),
            "The column log_size is taken as the number to be told of each text; --target names "
            "another.");
  EXPECT_EQ(first_line({"--target", "price"}), "S1 mixed: Zero pads water the weights down");
}

TEST(Study, RefusesWhatItCannotDoBeforeItBegins) {
  const TemporaryFolder folder;
  EXPECT_EQ(run_command({"study", "--quick", "--full"}).code, 2);
  EXPECT_EQ(run_command({"study", "--seed", "x"}).code, 2);
  EXPECT_EQ(run_command({"study", "--text", "text"}).code, 2);
  const std::string out = (folder / "out").string();
  const Ran missing =
      run_command({"study", "--data", (folder / "none.tsv").string(), "--out", out});
  EXPECT_EQ(missing.code, 1);
  EXPECT_NE(missing.err.find("none.tsv"), std::string::npos) << missing.err;
  // A study takes minutes: that its results have no place is told first.
  write_file(folder / "taken", "");
  const Ran taken = run_command({"study", "--out", (folder / "taken").string()});
  EXPECT_EQ(taken.code, 1);
  EXPECT_EQ(taken.err.find("training"), std::string::npos) << taken.err;
  write_file(folder / "data.tsv", small_table(150));
  for (const char* file : {"report.html", "study.json"}) {
    const std::filesystem::path place = folder / "places" / file / file;
    make_folder(place);  // a folder of the file's name
    const Ran ran =
        run_command({"study", "--quick", "--threads", "1", "--data", (folder / "data.tsv").string(),
                     "--label", "kind", "--out", place.parent_path().string()});
    EXPECT_EQ(ran.code, 1);
    EXPECT_EQ(ran.out, "");
    EXPECT_EQ(ran.err, "padless study: " + place.string() + ": cannot write: Is a directory\n");
  }
}

TEST(Study, SaysThatTheShareOfAQuickOneHasOneClassAlone) {
  const TemporaryFolder folder;
  const std::string file = (folder / "data.tsv").string();
  const auto error = [&](std::size_t other) {
    std::string table = "text\tkind\tsplit\n";
    for (std::size_t i = 0; i < 30; ++i) {
      table += message("some words\t", i == other ? "rare" : "usual", '\t',
                       i < 20   ? "train"
                       : i < 25 ? "dev"
                                : "test",
                       '\n');
    }
    write_file(file, table);
    const Ran ran = run_command({"study", "--quick", "--threads", "1", "--data", file, "--label",
                                 "kind", "--out", (folder / "out").string()});
    EXPECT_EQ(ran.code, 1);
    return ran.err.substr(std::min(ran.err.find("padless study: "), ran.err.size()));
  };
  const std::string where = "padless study: " + file + ": 'kind' is the same in all ";
  // Two of the 20 are in the share, and not the one in the second row.
  EXPECT_EQ(error(1), where +
                          "2 of the training texts that a quick study reads, expected at least two "
                          "classes; without --quick all are read\n");
  EXPECT_EQ(error(29), where + "training texts, expected at least two classes\n");
}

TEST(Study, TellsItsVerdictsWhereTheFilesCannotBeWrittenInTheEnd) {
  const TemporaryFolder folder;
  write_file(folder / "data.tsv", small_table(150));
  const std::filesystem::path out = folder / "out";
  // Where the report goes becomes a folder while the study is under way.
  class Spoiler : public std::stringbuf {
   public:
    explicit Spoiler(std::filesystem::path place) : place_(std::move(place)) {}

   protected:
    int sync() override {
      make_folder(place_);
      return std::stringbuf::sync();
    }

   private:
    std::filesystem::path place_;
  } spoiler(out / "report.html");
  std::istringstream in;
  std::ostringstream told;
  std::ostream err(&spoiler);
  const int code =
      run(Arguments{"study", "--quick", "--threads", "1", "--data", (folder / "data.tsv").string(),
                    "--label", "kind", "--out", out.string()},
          {.in = in, .out = told, .err = err});
  EXPECT_EQ(code, 1);
  EXPECT_NE(told.str().find("S1 mixed: Zero pads water the weights down\n"), std::string::npos);
  EXPECT_EQ(told.str().find("report.html"), std::string::npos) << told.str();
  EXPECT_NE(spoiler.str().find("report.html: cannot write: Is a directory"), std::string::npos)
      << spoiler.str();
}

}  // namespace
}  // namespace padless::cli
