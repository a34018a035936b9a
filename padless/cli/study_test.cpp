#include <gtest/gtest.h>

#include <filesystem>

#include "padless/cli/run_for_test.h"
#include "padless/io/json.h"
#include "padless/testing/temporary_folder.h"

namespace padless::cli {
namespace {

TEST(Study, OfTextsOfOnesOwnWritesReportAndNumbers) {
  const TemporaryFolder folder;
  write_file(folder / "data.tsv", small_table(150));
  const std::filesystem::path out = folder / "deep" / "study";
  const Ran ran = run_command({"study", "--quick", "--seed", "2", "--threads", "1", "--data",
                               (folder / "data.tsv").string(), "--text", "text", "--label", "kind",
                               "--out", out.string()});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(std::filesystem::exists(out / "report.html"));
  const JsonDocument document = JsonDocument::read(out / "study.json");
  EXPECT_EQ(document.root().at("experiment").at("seeds").at(std::size_t{0}).as_size(), 2u);
  for (const char* part : {"S1 mixed: ", "S2 holds: ", "S7 ", "report.html\n", "study.json\n"}) {
    EXPECT_NE(ran.out.find(part), std::string::npos) << part;
  }
  EXPECT_NE(ran.err.find("training exact, seed 2"), std::string::npos) << ran.err;
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
}

}  // namespace
}  // namespace padless::cli
