#include "padless/data/families.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <string>

#include "padless/core/rng.h"

namespace padless {
namespace {

using Roots = std::vector<std::size_t>;

PackageText row(const std::string& source, std::vector<std::string> paragraphs) {
  return {"games", source, 1, std::move(paragraphs)};
}

/// Words that occur nowhere else.
std::string own_words(const std::string& stem, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += stem + std::to_string(i) + " ";
  return text;
}

TEST(Families, NamesThatDifferInVersionOrKindOnlyAreOne) {
  EXPECT_EQ(source_stem("gcc-12"), "gcc");
  EXPECT_EQ(source_stem("boost1.81"), "boost");
  EXPECT_EQ(source_stem("0ad-data"), "0ad");
  EXPECT_EQ(source_stem("emacs-doc"), "emacs");
  EXPECT_EQ(source_stem("4"), "4");
  EXPECT_EQ(source_stem("-4"), "-4");
  EXPECT_EQ(source_stem("libx264"), "libx");
  const std::vector<PackageText> rows = {
      row("gcc-11", {own_words("a", 30)}), row("golang", {own_words("b", 30)}),
      row("gcc-12", {own_words("c", 30)}), row("gcc-doc", {own_words("d", 30)})};
  EXPECT_EQ(find_families(rows), (Roots{0, 1, 0, 0}));
}

TEST(Families, ASharedParagraphJoinsUnlessItIsShort) {
  const std::string shared = "a paragraph that says quite enough about itself";
  const std::vector<PackageText> rows = {
      row("a", {own_words("a", 40), shared, "Its features are:"}),
      row("b", {own_words("b", 40), "Its features are:"}), row("c", {own_words("c", 40), shared})};
  EXPECT_EQ(find_families(rows), (Roots{0, 1, 0}));
}

TEST(Families, TextsAlikeJoinWhateverTheirLettersCaseAndMarks) {
  const std::vector<PackageText> rows = {
      row("x-afr", {"Translation data for the pair of Afrikaans and Dutch, with a dictionary"}),
      row("other", {own_words("o", 12)}),
      row("x-bel", {"TRANSLATION DATA, for THE pair OF Belarusian and Russian with a dictionary"})};
  EXPECT_EQ(find_families(rows), (Roots{0, 1, 0}));
}

TEST(Families, ACopyInsideOtherWordsJoinsByItsTriples) {
  // Of 30 + 30 words 30 are the same: too few of the words, too few of the triples. Of 30 + 24 the
  // triples do.
  const std::string copied = own_words("same", 30);
  const std::vector<PackageText> apart = {row("a", {copied + own_words("a", 30)}),
                                          row("b", {copied + own_words("b", 30)})};
  EXPECT_EQ(find_families(apart), (Roots{0, 1}));
  const std::vector<PackageText> alike = {row("a", {copied + own_words("a", 12)}),
                                          row("b", {copied + own_words("b", 12)})};
  EXPECT_EQ(find_families(alike), (Roots{0, 0}));
}

TEST(Families, AreChainsOfPairs) {
  const std::string long_a = "one paragraph of more than eight words that two share";
  const std::string long_b = "another paragraph of more than eight words that two share";
  const std::vector<PackageText> rows = {row("p", {own_words("p", 50), long_a}),
                                         row("q", {own_words("q", 50), long_a, long_b}),
                                         row("r", {own_words("r", 50), long_b})};
  EXPECT_EQ(find_families(rows), (Roots{0, 0, 0}));
}

TEST(Families, FindEverySimilarPairThatComparingAllFinds) {
  // Texts of few words from a small vocabulary, and changed copies of them, so that pairs fall on
  // both sides of the threshold.
  Rng rng(5);
  std::vector<std::vector<std::string>> texts;
  for (int i = 0; i < 150; ++i) {
    std::vector<std::string> words;
    if (i % 3 != 0) {
      words = texts[rng.below(texts.size())];
      for (std::uint64_t k = rng.below(words.size()); k > 0; --k) {
        words[rng.below(words.size())] = "w" + std::to_string(rng.below(400));
      }
    } else {
      for (std::uint64_t k = 7 + rng.below(20); k > 0; --k) {
        words.push_back("w" + std::to_string(rng.below(400)));
      }
    }
    texts.push_back(words);
  }
  std::vector<PackageText> rows;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    std::string text;
    for (const std::string& word : texts[i]) text += word + " ";
    // Cut into short paragraphs, so that only likeness joins.
    rows.push_back(row("source" + std::string(i + 1, 'x'), {text.substr(0, 12), text.substr(12)}));
  }
  const auto likeness = [&](std::size_t a, std::size_t b, std::size_t length) {
    const auto sequences = [&](std::size_t i) {
      std::set<std::vector<std::string>> out;
      std::istringstream stream(rows[i].text());
      std::vector<std::string> words;
      for (std::string word; stream >> word;) words.push_back(word);
      for (std::size_t k = 0; k + length <= words.size(); ++k) {
        out.emplace(words.begin() + static_cast<std::ptrdiff_t>(k),
                    words.begin() + static_cast<std::ptrdiff_t>(k + length));
      }
      return out;
    };
    const auto left = sequences(a);
    const auto right = sequences(b);
    const auto common =
        std::ranges::count_if(left, [&](const auto& s) { return right.contains(s); });
    return static_cast<double>(common) /
           static_cast<double>(left.size() + right.size() - static_cast<std::size_t>(common));
  };
  const Roots roots = find_families(rows);
  std::size_t pairs = 0;
  std::vector<bool> alone(rows.size(), true);
  for (std::size_t a = 0; a < rows.size(); ++a) {
    for (std::size_t b = a + 1; b < rows.size(); ++b) {
      if (likeness(a, b, 1) < 0.6 && likeness(a, b, 3) < 0.5) continue;
      ++pairs;
      alone[a] = alone[b] = false;
      EXPECT_EQ(roots[a], roots[b]) << rows[a].text() << "\n" << rows[b].text();
    }
  }
  EXPECT_GT(pairs, 20U);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (alone[i] && roots[i] != i) ADD_FAILURE() << "joined without a pair: " << rows[i].text();
  }
}

TEST(Families, NoRowsHaveNoFamilies) { EXPECT_EQ(find_families({}), Roots{}); }

}  // namespace
}  // namespace padless
