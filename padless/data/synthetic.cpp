#include "padless/data/synthetic.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <unordered_set>
#include <utility>

#include "padless/core/error.h"
#include "padless/core/rng.h"

namespace padless {
namespace {

constexpr std::size_t kMinWords = 3;
constexpr std::size_t kMaxWords = 1500;
constexpr std::size_t kMedianWords = 60;
constexpr std::size_t kNoiseWords = 3000;
constexpr std::size_t kKeysPerClass = 6;
constexpr std::size_t kMaxKeys = 4;
constexpr std::size_t kMaxLabels = 3;
constexpr double kStrayShare = 0.15;  ///< of the texts have a key word of another class too
constexpr double kTargetNoise = 0.05;
constexpr double kTestShare = 0.15;
constexpr double kDevShare = 0.10;

// Streams of the seed: one for the words, the splits, and each text from kTexts on.
constexpr std::uint32_t kWordsStream = 0;
constexpr std::uint32_t kTexts = 1;

/// Consonant and vowel by turns, two to four times: "tomabe".
std::string make_word(Rng& rng) {
  constexpr std::string_view kConsonants = "bdfgklmnprstvz";
  constexpr std::string_view kVowels = "aeiou";
  const std::uint64_t syllables = 2 + rng.below(3);
  std::string word;
  for (std::uint64_t i = 0; i < syllables; ++i) {
    word += kConsonants[rng.below(kConsonants.size())];
    word += kVowels[rng.below(kVowels.size())];
  }
  return word;
}

/// All words there are: each class's key words first, then the noise.
class Words {
 public:
  Words(std::uint64_t seed, std::size_t classes) : keys_(classes * kKeysPerClass) {
    Rng rng(seed, kWordsStream);
    std::unordered_set<std::string> seen;
    while (words_.size() < keys_ + kNoiseWords) {
      std::string word = make_word(rng);
      if (seen.insert(word).second) words_.push_back(std::move(word));
    }
  }

  const std::string& key(std::size_t of_class, std::size_t i) const {
    return words_[of_class * kKeysPerClass + i];
  }
  /// Common ones much more often than rare ones, as in any language: the square of a uniform draw.
  const std::string& noise(Rng& rng) const {
    const double draw = rng.uniform();
    return words_[keys_ + static_cast<std::size_t>(draw * draw * kNoiseWords)];
  }

 private:
  std::size_t keys_;
  std::vector<std::string> words_;
};

/// Log-normal, by doublings: half of the texts have less than the median, and one deviation is one
/// and a half doublings. Linear between powers of two, because exp is not the same on every
/// machine.
std::size_t draw_length(Rng& rng) {
  constexpr double kDoublings = 1.5;
  const double doublings = std::clamp(kDoublings * rng.normal(), -20.0, 20.0);
  const double whole = std::floor(doublings);
  const double length = std::ldexp(static_cast<double>(kMedianWords) * (1 + (doublings - whole)),
                                   static_cast<int>(whole));
  return std::clamp(static_cast<std::size_t>(length), kMinWords, kMaxWords);
}

/// Sentences of four to fifteen words, one a line.
std::string as_sentences(const std::vector<std::string>& words, Rng& rng) {
  constexpr std::size_t kShortest = 4;
  constexpr std::size_t kRange = 12;
  std::string text;
  std::size_t left = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool first = left == 0;
    if (first) {
      if (i > 0) text += ".\n";
      left = kShortest + rng.below(kRange);
    }
    if (!first) text += ' ';
    std::string word = words[i];
    if (first) word.front() = static_cast<char>(word.front() - 'a' + 'A');
    text += word;
    --left;
  }
  return text + ".";
}

/// Where the k-th of `keys` key words goes among `words`: into a slice of its own, so that none
/// overwrites another.
std::string& place_of(std::size_t k, std::size_t keys, std::vector<std::string>& words, Rng& rng) {
  const std::size_t begin = k * words.size() / keys;
  const std::size_t end = (k + 1) * words.size() / keys;
  return words[begin + rng.below(end - begin)];
}

std::string name_of_class(std::size_t number) { return message("class", number); }

/// Puts a class and its key words into the text; returns how strong those are.
double put_class(const Words& vocabulary, std::size_t own, std::size_t classes,
                 std::vector<std::string>& words, Rng& rng) {
  const std::size_t keys = std::min<std::size_t>(1 + rng.below(kMaxKeys), words.size() - 1);
  double strength = 0;
  for (std::size_t k = 0; k < keys; ++k) {
    const std::size_t key = rng.below(kKeysPerClass);
    place_of(k, keys, words, rng) = vocabulary.key(own, key);
    strength += static_cast<double>(key) / (kKeysPerClass - 1);
  }
  if (rng.uniform() < kStrayShare && words.size() < kMaxWords) {
    const std::size_t other = (own + 1 + rng.below(classes - 1)) % classes;
    words.insert(words.begin() + static_cast<std::ptrdiff_t>(rng.below(words.size() + 1)),
                 vocabulary.key(other, rng.below(kKeysPerClass)));
  }
  return strength / static_cast<double>(keys);
}

/// Puts the key words of none to three classes, of which `own` is the first, into the text; returns
/// their names.
std::vector<std::string> put_labels(const Words& vocabulary, std::size_t own, std::size_t classes,
                                    std::vector<std::string>& words, Rng& rng) {
  const std::size_t most = std::min({kMaxLabels, classes, words.size() - 1});
  const std::size_t count = rng.below(most + 1);
  std::vector<std::size_t> drawn(std::min<std::size_t>(count, 1), own);
  while (drawn.size() < count) {
    const std::size_t label = rng.below(classes);
    if (std::ranges::find(drawn, label) == drawn.end()) drawn.push_back(label);
  }
  // One of each label first, then a second where there is room.
  std::vector<std::size_t> keys = drawn;
  for (const std::size_t label : drawn) {
    if (keys.size() + 1 < words.size() && rng.below(2) == 1) keys.push_back(label);
  }
  for (std::size_t k = 0; k < keys.size(); ++k) {
    const std::size_t key = rng.below(kKeysPerClass);
    place_of(k, keys.size(), words, rng) = vocabulary.key(keys[k], key);
  }
  std::vector<std::string> names;
  names.reserve(drawn.size());
  for (const std::size_t label : drawn) names.push_back(name_of_class(label));
  std::ranges::sort(names);
  return names;
}

Split draw_split(Rng& rng) {
  const double draw = rng.uniform();
  if (draw < kTestShare) return Split::test;
  return draw < kTestShare + kDevShare ? Split::dev : Split::train;
}

}  // namespace

struct SyntheticTexts::State {
  SyntheticOptions options;
  Words words;
};

SyntheticTexts::SyntheticTexts(const SyntheticOptions& options) {
  require_value(options.classes >= 2, "make_synthetic_set: classes is ", options.classes,
                ", expected at least 2");
  require_value(options.texts > 0, "make_synthetic_set: texts is 0, expected at least 1");
  state_ = std::make_unique<State>(State{options, Words(options.seed, options.classes)});
}
SyntheticTexts::~SyntheticTexts() = default;
SyntheticTexts::SyntheticTexts(SyntheticTexts&&) noexcept = default;
SyntheticTexts& SyntheticTexts::operator=(SyntheticTexts&&) noexcept = default;

std::size_t SyntheticTexts::size() const { return state_->options.texts; }

SyntheticText SyntheticTexts::operator[](std::size_t i) const {
  const auto& [options, vocabulary] = *state_;
  Rng rng(options.seed, kTexts + static_cast<std::uint32_t>(i));
  const std::size_t own = rng.below(options.classes);
  std::vector<std::string> words(draw_length(rng));
  for (std::string& word : words) word = vocabulary.noise(rng);

  SyntheticText made;
  if (options.several_labels) {
    made.labels = put_labels(vocabulary, own, options.classes, words, rng);
    made.text = as_sentences(words, rng);
  } else {
    const double strength = put_class(vocabulary, own, options.classes, words, rng);
    made.text = as_sentences(words, rng);
    made.label = name_of_class(own);
    made.target = strength + kTargetNoise * rng.normal();
  }
  made.split = draw_split(rng);
  return made;
}

LabelledSet make_synthetic_set(const SyntheticOptions& options) {
  const SyntheticTexts texts(options);
  LabelledSet set;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    SyntheticText made = texts[i];
    set.texts.push_back(std::move(made.text));
    if (options.several_labels) {
      set.label_sets.push_back(std::move(made.labels));
    } else {
      set.labels.push_back(std::move(made.label));
      set.targets.push_back(made.target);
    }
    set.splits.push_back(made.split);
    set.rows.push_back(i + 1);
  }
  return set;
}

}  // namespace padless
