#include "padless/data/package_texts.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace padless {
namespace {

void read(const std::string& text, const std::function<void(const Stanza&)>& take) {
  StanzaReader reader(take);
  reader.feed(text);
  reader.finish();
}

constexpr const char* kLong =
    " A program of so many words that its description is taken up into the set, because twenty of"
    " them are what a text must have.\n";

/// Builds lists package by package; the description's MD5 is made of the package's name.
class Lists {
 public:
  Lists& add(const std::string& name, const std::string& description, const std::string& section,
             const std::string& source = "", const std::string& size = "100") {
    translations_ += "Package: " + name + "\nDescription-md5: m" + name +
                     "\nDescription-en: " + description + "\n\n";
    packages_ += "Package: " + name + (source.empty() ? "" : "\nSource: " + source) +
                 "\nInstalled-Size: " + size + "\nSection: " + section + "\nDescription-md5: m" +
                 name + "\n\n";
    return *this;
  }
  std::vector<PackageText> choose(std::size_t min_section = 1) const {
    PackageTexts texts;
    read(translations_, [&](const Stanza& stanza) { texts.add_translation(stanza); });
    read(packages_, [&](const Stanza& stanza) { texts.add_package(stanza); });
    return texts.choose(min_section);
  }

 private:
  std::string translations_;
  std::string packages_;
};

TEST(PackageTexts, ParagraphsAndItemsBecomeLinesWithSingleSpaces) {
  const auto rows =
      Lists()
          .add("kite",
               "flies  in wind\n" + std::string(kLong) +
                   " It goes on\n  here.\n .\n Colours:\n  * red\n    and more\n  - blue\n"
                   " .\n Last.\n",
               "games")
          .choose();
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].text(),
            "flies in wind\nA program of so many words that its description is taken up into the"
            " set, because twenty of them are what a text must have. It goes on here.\nColours:\n"
            "red and more\nblue\nLast.");
  EXPECT_EQ(rows[0].section, "games");
  EXPECT_EQ(rows[0].source, "kite");
  EXPECT_EQ(rows[0].installed_kib, 100);
}

TEST(PackageTexts, OneTextASourceFromThePackageOfItsNameElseTheLongest) {
  const std::string text = kLong;
  const auto rows =
      Lists()
          .add("ball-extra", "extra\n" + text + " And more than that.\n", "games", "ball (1.2-3)",
               "7")
          .add("ball", "own\n" + text, "games", "", "8")
          .add("top-a", "short\n" + text, "games", "top", "1")
          .add("top-b", "long\n" + text + " And more than that.\n", "games", "top", "2")
          .add("top-c", "late\n" + text + " And more than that.\n", "games", "top", "3")
          .choose();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].paragraphs[0], "own");
  EXPECT_EQ(rows[0].installed_kib, 8);
  EXPECT_EQ(rows[1].source, "top");
  EXPECT_EQ(rows[1].paragraphs[0], "long");
  EXPECT_EQ(rows[1].installed_kib, 2);
}

TEST(PackageTexts, TheSectionIsWithoutItsComponentAndMustBeAgreedOn) {
  const std::string text = kLong;
  const auto rows = Lists()
                        .add("a", "one\n" + text, "universe/games")
                        .add("a-lib", "lib\n" + text, "libs", "a")
                        .add("b", "two\n" + text, "games")
                        .add("b-net", "net\n" + text, "net", "b")
                        .add("c", "three\n" + text, "libs")
                        .choose();
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].source, "a");
  EXPECT_EQ(rows[0].section, "games");
}

TEST(PackageTexts, BoilerplateIsLeftOut) {
  Lists lists;
  for (const char* name : {"a", "b", "c", "d"}) {
    lists.add(name,
              std::string("sort ") + name + "\n" + kLong + " of the package " + name +
                  "\n .\n This sentence stands in four sources.\n .\n This package contains"
                  " the header files.\n .\n The metapackage is shared by all.\n .\n This"
                  " package is a game.\n .\n This package contained data.\n",
              "games");
  }
  lists.add("e", std::string("sort e\n") + kLong + " of the package e\n .\n Only three\n", "games");
  const auto rows = lists.choose();
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_EQ(rows[0].paragraphs.size(), 2U) << rows[0].text();
  EXPECT_EQ(rows[4].paragraphs.back(), "Only three");
}

TEST(PackageTexts, SayingOnlyTheKindIsLeftOutEvenWhereItStandsOnce) {
  const auto rows =
      Lists()
          .add("a",
               std::string("x\n") + kLong +
                   " .\n This package contains the header files.\n .\n The metapackage"
                   " is shared by all.\n .\n This package is a game.\n .\n This package"
                   " contained data.\n",
               "games")
          .choose();
  ASSERT_EQ(rows.size(), 1U);
  ASSERT_EQ(rows[0].paragraphs.size(), 4U) << rows[0].text();
  EXPECT_EQ(rows[0].paragraphs[2], "This package is a game.");
  EXPECT_EQ(rows[0].paragraphs[3], "This package contained data.");
}

TEST(PackageTexts, ShortTextsDoubledTextsAndSmallSectionsAreLeftOut) {
  const std::string same = "same\n" + std::string(kLong);
  const Lists lists =
      Lists()
          .add("a", "1\n 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19\n", "games")
          .add("a20", "1\n 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20\n", "games")
          .add("b", same, "games")
          .add("c", same, "games")
          .add("d", "other\n" + std::string(kLong) + " And more.\n", "games")
          .add("e", "alone\n" + std::string(kLong) + " And this.\n", "net");
  EXPECT_EQ(lists.choose(1).size(), 4U);
  const auto rows = lists.choose(2);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].source, "a20");
  EXPECT_EQ(rows[1].source, "b");
  EXPECT_EQ(rows[2].source, "d");
}

TEST(PackageTexts, OfPackagesWithOneNameTheFirstIsTaken) {
  const std::string text = kLong;
  const auto rows = Lists()
                        .add("a", "first\n" + text, "games", "", "1")
                        .add("a", "second\n" + text, "net", "", "2")
                        .choose();
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].installed_kib, 1);
}

TEST(PackageTexts, WhatIsNotWellFormedIsPassedOver) {
  const std::string text = kLong;
  const auto rows = Lists()
                        .add("bad-text", "caf\xE9\n" + text, "games")
                        .add("bad-size", "one\n" + text, "games", "", "12 kB")
                        .add("no-size", "two\n" + text, "games", "", "")
                        .add("negative", "three\n" + text, "games", "", "-5")
                        .add("huge", "four\n" + text, "games", "", "99999999999999999999999")
                        .add("no-section", "five\n" + text, "")
                        .add("", "six\n" + text, "games")
                        .add("source\xFF", "seven\n" + text, "games", "x")
                        .add("bad-source", "eight\n" + text, "games", "\xFF")
                        .add("empty", "", "games")
                        .add("nul", std::string("n\0l\n", 4) + text, "games")
                        .add("zero", "nine\n" + text, "games", "", "0")
                        .choose();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].source, "bad-source");
  EXPECT_EQ(rows[1].source, "zero");
  EXPECT_EQ(rows[1].installed_kib, 1);
}

TEST(PackageTexts, APackageWithoutItsDescriptionIsPassedOver) {
  PackageTexts texts;
  read("Package: a\nInstalled-Size: 1\nSection: games\nDescription-md5: unknown\n",
       [&](const Stanza& stanza) { texts.add_package(stanza); });
  EXPECT_EQ(texts.package_count(), 0U);
  EXPECT_TRUE(texts.choose(1).empty());
}

}  // namespace
}  // namespace padless
