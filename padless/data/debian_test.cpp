// The whole way from lists to file, with programs of our own in the place of apt's and no network.
#include "padless/data/debian.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include "padless/core/error.h"
#include "padless/data/labelled_set.h"
#include "padless/io/atomic_file.h"
#include "padless/testing/environment_variable.h"
#include "padless/testing/temporary_folder.h"

namespace padless {
namespace {

namespace fs = std::filesystem;

std::string table_of(const std::vector<DebianRow>& rows) {
  std::ostringstream out;
  write_debian_set(out, rows);
  return out.str();
}

class Debian : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists("/usr/lib/apt/apt-helper")) GTEST_SKIP() << "no apt here";
    fs::create_directory(folder_ / "bin");
    program("apt-config", "echo amd64");
    std::string packages;
    std::string translations;
    // Two sections of 60 sources and more, one of 59; no line break after the last line.
    for (int i = 0; i < 190; ++i) {
      const std::string name = "pack" + std::string(1, static_cast<char>('a' + i % 26)) +
                               std::string(static_cast<std::size_t>(1 + i / 26), 'z');
      const std::string section = i < 65 ? "universe/games" : i < 124 ? "web" : "net";
      packages += message("Package: ", name, "\nInstalled-Size: 1024\nSection: ", section,
                          "\nDescription-md5: m", i, "\n\n");
      translations +=
          "Description-md5: m" + std::to_string(i) + "\nDescription-en: sort\tof " + name;
      for (int word = 0; word < 25; ++word) {
        translations += "\n w" + std::to_string(i * 25 + word) + "\\n";
      }
      translations += "\n\n";
    }
    packages.resize(packages.size() - 2);
    write_file(folder_ / "packages", packages);
    write_file(folder_ / "translations", translations);
    targets({"Packages|Debian|stable|any|main|amd64|" + (folder_ / "packages").string(),
             "Translations|Debian|stable|any|main|$(ARCHITECTURE)|" +
                 (folder_ / "translations").string()});
  }

  void program(const std::string& name, const std::string& script) {
    const fs::path path = folder_ / "bin" / name;
    write_file(path, "#!/bin/sh\n" + script + "\n");
    fs::permissions(path, fs::perms::owner_all);
  }

  /// apt-get: what update prints, and the lists that indextargets gives.
  void targets(const std::vector<std::string>& rows, const std::string& update = "echo fetched") {
    std::string script = "case \"$3\" in\nupdate) " + update + ";;\nindextargets) cat <<'END'\n";
    for (const std::string& target : rows) script += target + "\n";
    program("apt-get", script + "END\n;;\nesac");
  }

  std::vector<DebianRow> build() {
    const testing::EnvironmentVariable path("PATH", (folder_ / "bin").string() + ":/usr/bin:/bin");
    return build_debian_set({.folder = folder_ / "cache", .progress = [&](std::string_view line) {
                               progress_.emplace_back(line);
                             }});
  }

  std::string error_of_build() {
    try {
      (void)build();
    } catch (const IoError& error) {
      return error.what();
    }
    return "no IoError";
  }

  TemporaryFolder folder_;
  std::vector<std::string> progress_;
};

TEST_F(Debian, GoesFromListsToAFileThatReadsBack) {
  const std::vector<DebianRow> rows = build();
  ASSERT_EQ(rows.size(), 131U);
  EXPECT_NE(std::ranges::find(progress_, "fetched"), progress_.end());
  EXPECT_TRUE(std::ranges::is_sorted(rows, {}, &DebianRow::source));

  const fs::path path = folder_ / "set.tsv";
  write_file(path, table_of(rows));
  TableReader table(path);
  EXPECT_EQ(table.columns(),
            (std::vector<std::string>{"section", "split", "source", "log_size", "text"}));
  const LabelledSet set = read_labelled_set(
      table, {.text = "text", .label = "section", .target = "log_size", .split = "split"});
  ASSERT_EQ(set.texts.size(), rows.size());
  EXPECT_EQ(Classes::of(set.labels).names(), (std::vector<std::string>{"games", "net"}));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(set.texts[i], rows[i].text);
    EXPECT_EQ(set.labels[i], rows[i].section);
    EXPECT_EQ(set.targets[i], rows[i].log_size);
    EXPECT_EQ(set.splits[i], rows[i].split);
  }
  EXPECT_EQ(rows[0].log_size, 0x1.bb9d3beb8c86bp+2);  // ln 1024
  EXPECT_NE(rows[0].text.find("sort of packaz\nw0\\n w1"), std::string::npos) << rows[0].text;
}

TEST_F(Debian, GivesTheSameRowsAgain) {
  const std::string once = table_of(build());
  EXPECT_EQ(table_of(build()), once);
}

TEST_F(Debian, TakesOnlyListsOfReleasesOfFreeSoftwareForThisMachine) {
  const std::string packages = (folder_ / "packages").string();
  const std::string translations = (folder_ / "translations").string();
  for (const char* other :
       {"Packages|Debian|stable-security|any|main|amd64|",
        "Packages|Debian|stable|any|non-free|amd64|", "Packages|Debian|stable|any|main|i386|",
        "Packages|Other|stable|any|main|amd64|", "Contents-deb|Debian|stable|any|main|amd64|"}) {
    targets({other + packages, "Translations|Debian|stable|any|main||" + translations});
    EXPECT_EQ(error_of_build().find("apt-get update: no package lists"), 0U) << other;
  }
  targets({"Packages|Debian|stable|any|main|amd64|" + packages,
           "Contents-deb|Debian|stable|any|main|amd64|" + translations});
  EXPECT_EQ(error_of_build().find("apt-get update: no package lists"), 0U);
  targets({"Packages|Ubuntu|noble|noble|universe|amd64|" + packages,
           "Translations|Ubuntu|noble|noble|universe||" + translations});
  EXPECT_EQ(build().size(), 131U);
}

TEST_F(Debian, WithoutListsTheErrorSaysWhatAptSaidAndTheWayOut) {
  targets({}, "echo 'E: Failed' >&2; echo 'Could not resolve deb.example' >&2; exit 100");
  const std::string error = error_of_build();
  EXPECT_EQ(error.find('\n'), std::string::npos) << error;
  EXPECT_NE(error.find("Could not resolve deb.example"), std::string::npos) << error;
  EXPECT_NE(error.find("the way out"), std::string::npos) << error;
}

TEST_F(Debian, WithoutANetworkTheListsOfAnEarlierTimeDo) {
  targets({"Packages|Debian|stable|any|main|amd64|" + (folder_ / "packages").string(),
           "Translations|Debian|stable|any|main||" + (folder_ / "translations").string()},
          "exit 100");
  EXPECT_EQ(build().size(), 131U);
}

TEST_F(Debian, WithoutAptTheErrorSaysTheWayOut) {
  const testing::EnvironmentVariable path("PATH", "/nonexistent");
  try {
    (void)build_debian_set({.folder = folder_ / "cache"});
    FAIL() << "nothing was thrown";
  } catch (const IoError& error) {
    EXPECT_EQ(std::string(error.what()).find("apt-get: cannot run: No such file or directory; the"),
              0U)
        << error.what();
  }
}

TEST_F(Debian, ABrokenListIsAnErrorThatNamesIt) {
  write_file(folder_ / "packages.lz4", "this is not lz4");
  targets({"Packages|Debian|stable|any|main|amd64|" + (folder_ / "packages.lz4").string(),
           "Translations|Debian|stable|any|main||" + (folder_ / "translations").string()});
  EXPECT_EQ(error_of_build().find((folder_ / "packages.lz4").string() + ": apt-helper"), 0U);
}

// As a full disk or a lost connection leaves them in the folder.
TEST_F(Debian, ListsThatCannotBeReadAreFetchedAnew) {
  const fs::path kept = folder_ / "cache" / "lists" / "packages.gz";
  fs::create_directories(kept.parent_path());
  const std::string fetches = "test -e " + kept.string() + " || gzip -c " +
                              (folder_ / "packages").string() + " >" + kept.string();
  targets({"Packages|Debian|stable|any|main|amd64|" + kept.string(),
           "Translations|Debian|stable|any|main||" + (folder_ / "translations").string()},
          fetches);
  write_file(kept, "\x1f\x8b\x08 cut off");
  EXPECT_EQ(build().size(), 131U);
  EXPECT_TRUE(std::ranges::any_of(progress_, [](const std::string& line) {
    return line.ends_with("; fetching all of them anew");
  }));
}

// apt gives such an error, for one, where a list is cut off.
TEST_F(Debian, ListsThatAptCannotNameAreFetchedAnew) {
  const fs::path cut = folder_ / "cache" / "lists" / "cut";
  fs::create_directories(cut.parent_path());
  write_file(cut, "");
  const std::string rows =
      "Packages|Debian|stable|any|main|amd64|" + (folder_ / "packages").string() +
      "\nTranslations|Debian|stable|any|main||" + (folder_ / "translations").string() + "\n";
  const auto apt_get = [&](const std::string& fails) {
    program("apt-get", "test \"$3\" = update && exit 0\nif " + fails +
                           "; then echo cut off >&2; exit 100; fi\ncat <<'END'\n" + rows + "END");
  };
  apt_get("test -e " + cut.string());
  EXPECT_EQ(build().size(), 131U);
  apt_get("true");
  EXPECT_EQ(error_of_build(), (folder_ / "cache").string() +
                                  ": apt-get indextargets ended with 100 (cut off), expected 0; "
                                  "the way out: remove the folder");
}

TEST_F(Debian, AFolderInWhichOthersMayWriteIsRefused) {
  fs::create_directory(folder_ / "cache");
  fs::permissions(folder_ / "cache", fs::perms{0777});
  EXPECT_EQ(error_of_build().find((folder_ / "cache").string() + ": may be written in by others"),
            0U);
  EXPECT_FALSE(fs::exists(folder_ / "cache" / "apt.conf"));
}

TEST_F(Debian, AFolderThatAptCannotNameIsRefused) {
  try {
    (void)build_debian_set({.folder = folder_ / "a\"b"});
    FAIL() << "nothing was thrown";
  } catch (const IoError& error) {
    EXPECT_NE(std::string(error.what()).find("expected another folder"), std::string::npos);
  }
}

TEST(DebianSplit, AFamilyIsInOneSplitAndTheSharesAreAsStated) {
  std::vector<PackageText> texts;
  for (int i = 0; i < 6000; ++i) {
    std::string name = "s";
    for (int rest = i / 2; rest > 0; rest /= 26) name += static_cast<char>('a' + rest % 26);
    if (i % 2 == 1) name += "-data";
    std::string words;
    for (int word = 0; word < 9; ++word) words += " w" + std::to_string(i * 9 + word);
    texts.push_back({"games", name, 1, {words}});
  }
  std::map<Split, double> count;
  const std::vector<DebianRow> rows = split_by_family(texts);
  for (std::size_t i = 0; i < rows.size(); i += 2) {
    EXPECT_EQ(rows[i].split, rows[i + 1].split) << rows[i].source;
    ++count[rows[i].split];
  }
  // Six standard deviations of a binomial count around its mean.
  EXPECT_NEAR(count[Split::test], 450, 117);
  EXPECT_NEAR(count[Split::dev], 300, 99);
  EXPECT_NEAR(count[Split::train], 2250, 142);
}

TEST(DebianCache, IsTheUsersOwn) {
  const testing::EnvironmentVariable cache("XDG_CACHE_HOME", "/x");
  EXPECT_EQ(debian_cache_folder(), "/x/padless/apt");
  const testing::EnvironmentVariable none("XDG_CACHE_HOME", "");
  const testing::EnvironmentVariable home("HOME", "/h");
  EXPECT_EQ(debian_cache_folder(), "/h/.cache/padless/apt");
  const testing::EnvironmentVariable no_home("HOME", "");
  EXPECT_NE(debian_cache_folder().string().find("padless-apt-"), std::string::npos);
}

}  // namespace
}  // namespace padless
