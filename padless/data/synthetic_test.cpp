#include "padless/data/synthetic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "padless/core/error.h"
#include "padless/core/utf8.h"

namespace padless {
namespace {

std::size_t count_words(const std::string& text) {
  std::istringstream stream(text);
  std::size_t words = 0;
  for (std::string word; stream >> word;) ++words;
  return words;
}

/// Lower-case words without their full stops.
std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word; words.push_back(word)) {
    std::erase(word, '.');
    if (word[0] < 'a') word[0] = static_cast<char>(word[0] - 'A' + 'a');
  }
  return words;
}

TEST(Synthetic, IsAPureFunctionOfItsOptions) {
  const LabelledSet one = make_synthetic_set({.texts = 50, .seed = 3});
  const LabelledSet same = make_synthetic_set({.texts = 50, .seed = 3});
  EXPECT_EQ(one.texts, same.texts);
  EXPECT_EQ(one.labels, same.labels);
  EXPECT_EQ(one.targets, same.targets);
  EXPECT_NE(one.texts, make_synthetic_set({.texts = 50, .seed = 4}).texts);
  const LabelledSet more = make_synthetic_set({.texts = 80, .seed = 3});
  EXPECT_TRUE(std::equal(one.texts.begin(), one.texts.end(), more.texts.begin()));
}

TEST(Synthetic, AKnownSeedStaysAsItIs) {
  const LabelledSet set = make_synthetic_set({.texts = 3, .seed = 1});
  EXPECT_EQ(set.texts[0].substr(0, 30), "Gilakama ziso lebadade guvozop");
  EXPECT_EQ(set.labels, (std::vector<std::string>{"class6", "class6", "class5"}));
}

TEST(Synthetic, LengthsAreStronglyUneven) {
  const LabelledSet set = make_synthetic_set({.texts = 2000});
  std::vector<std::size_t> lengths;
  lengths.reserve(set.texts.size());
  for (const std::string& text : set.texts) lengths.push_back(count_words(text));
  std::ranges::sort(lengths);
  EXPECT_GE(lengths.front(), 3U);
  EXPECT_LE(lengths.back(), 1500U);
  EXPECT_NEAR(static_cast<double>(lengths[1000]), 60, 10);
  EXPECT_LT(lengths[200], 20U);
  EXPECT_GT(lengths[1800], 200U);
}

TEST(Synthetic, LooksLikeSentences) {
  const LabelledSet set = make_synthetic_set({.texts = 300});
  std::size_t lines = 0;
  for (const std::string& text : set.texts) {
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line); ++lines) {
      EXPECT_TRUE(line.front() >= 'A' && line.front() <= 'Z') << line;
      EXPECT_EQ(line.find('.'), line.size() - 1) << line;
      EXPECT_LE(count_words(line), 15U) << line;
    }
  }
  EXPECT_GT(lines, 3 * set.texts.size());
}

TEST(Synthetic, HasEveryClassSplitAndAnEntryForEachText) {
  const LabelledSet set = make_synthetic_set({.texts = 1000, .classes = 5});
  EXPECT_EQ(Classes::of(set.labels).count(), 5U);
  EXPECT_EQ(set.labels.size(), 1000U);
  EXPECT_EQ(set.targets.size(), 1000U);
  EXPECT_EQ(set.rows.back(), 1000U);
  // Six standard deviations of a binomial count around its mean.
  EXPECT_NEAR(static_cast<double>(set.indices_of(Split::test).size()), 150, 68);
  EXPECT_NEAR(static_cast<double>(set.indices_of(Split::dev).size()), 100, 57);
}

TEST(Synthetic, KeyWordsTellTheClassAndTheTarget) {
  const LabelledSet set = make_synthetic_set({.texts = 2000});
  // A word is a key word when most of the texts it is in, of many, are of one class.
  std::map<std::string, std::map<std::string, double>> classes_of;
  for (std::size_t i = 0; i < set.texts.size(); ++i) {
    const std::vector<std::string> words = words_of(set.texts[i]);
    for (const std::string& word : std::set(words.begin(), words.end())) {
      ++classes_of[word][set.labels[i]];
    }
  }
  std::size_t right = 0;
  for (std::size_t i = 0; i < set.texts.size(); ++i) {
    std::map<std::string, double> votes;
    for (const std::string& word : words_of(set.texts[i])) {
      double all = 0;
      std::pair<std::string, double> most;
      for (const auto& [label, count] : classes_of[word]) {
        all += count;
        if (count > most.second) most = {label, count};
      }
      if (all >= 30 && most.second / all > 0.7) ++votes[most.first];
    }
    const auto best =
        std::ranges::max_element(votes, {}, [](const auto& vote) { return vote.second; });
    right += best != votes.end() && best->first == set.labels[i] ? 1 : 0;
  }
  EXPECT_GT(right, set.texts.size() * 9 / 10);
  const auto [low, high] = std::ranges::minmax(set.targets);
  EXPECT_LT(low, 0.1);
  EXPECT_GT(high, 0.9);
}

/// The words of which at least five texts have one, and what all of those texts' labels share.
std::map<std::string, std::set<std::string>> labels_of_words(const LabelledSet& set) {
  std::map<std::string, std::set<std::string>> shared;
  std::map<std::string, std::size_t> counts;
  for (std::size_t i = 0; i < set.texts.size(); ++i) {
    const std::vector<std::string> words = words_of(set.texts[i]);
    const std::vector<std::string>& labels = set.label_sets[i];
    for (const std::string& word : std::set(words.begin(), words.end())) {
      std::set<std::string>& common = shared[word];
      if (counts[word]++ == 0) common.insert(labels.begin(), labels.end());
      std::erase_if(common, [&](const std::string& label) {
        return std::ranges::find(labels, label) == labels.end();
      });
    }
  }
  std::erase_if(shared, [&](const auto& word) { return counts[word.first] < 5; });
  return shared;
}

TEST(Synthetic, HasNoneToThreeLabelsATextWhereSeveralAreAskedFor) {
  const SyntheticOptions options = {.classes = 5, .several_labels = true};
  const LabelledSet set = make_synthetic_set(options);
  EXPECT_TRUE(set.labels.empty() && set.targets.empty());
  ASSERT_EQ(set.label_sets.size(), 2000U);
  EXPECT_EQ(set.label_sets, make_synthetic_set(options).label_sets);
  std::vector<std::size_t> texts_with(4);
  for (const std::vector<std::string>& labels : set.label_sets) {
    EXPECT_TRUE(std::ranges::is_sorted(labels));
    EXPECT_EQ(std::ranges::adjacent_find(labels), labels.end());
    ++texts_with.at(labels.size());
  }
  // Texts of three words have two at most. Six standard deviations of a binomial count.
  for (std::size_t count = 0; count <= 3; ++count) {
    EXPECT_NEAR(static_cast<double>(texts_with[count]), 500, 6 * 19.4) << count;
  }
  EXPECT_EQ(Classes::of_sets(set.label_sets).count(), 5U);
}

TEST(Synthetic, KeyWordsTellEveryLabelAndNoOther) {
  const LabelledSet set = make_synthetic_set({.classes = 5, .several_labels = true});
  const auto keys = labels_of_words(set);
  for (std::size_t i = 0; i < set.texts.size(); ++i) {
    std::set<std::string> told;
    for (const std::string& word : words_of(set.texts[i])) {
      if (const auto key = keys.find(word); key != keys.end()) {
        told.insert(key->second.begin(), key->second.end());
      }
    }
    EXPECT_EQ(std::vector<std::string>(told.begin(), told.end()), set.label_sets[i]) << i;
  }
}

TEST(Synthetic, TooFewClassesOrTextsAreRefused) {
  EXPECT_THROW((void)make_synthetic_set({.texts = 10, .classes = 1}), ValueError);
  EXPECT_THROW((void)make_synthetic_set({.texts = 0}), ValueError);
}

}  // namespace
}  // namespace padless
