#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "padless/core/export.h"
#include "padless/data/labelled_set.h"

namespace padless {

/// How many made-up texts there are, and which.
struct SyntheticOptions {
  std::size_t texts = 2000;
  std::size_t classes = 8;  ///< at least 2
  std::uint64_t seed = 0;
  /// Any number of the classes a text, as its labels, in place of one class and a target.
  bool several_labels = false;
};

/// One made-up text and what is known of it.
struct SyntheticText {
  std::string text;
  std::string label;                ///< its class; empty with several_labels
  double target = 0;                ///< 0 with several_labels
  std::vector<std::string> labels;  ///< with several_labels: sorted, each once
  Split split = Split::train;
};

/// The texts of make_synthetic_set, each made when it is asked for: any number of them takes the
/// memory of one.
class PADLESS_API SyntheticTexts {
 public:
  /// Throws as make_synthetic_set.
  explicit SyntheticTexts(const SyntheticOptions& options);
  ~SyntheticTexts();
  SyntheticTexts(SyntheticTexts&&) noexcept;
  SyntheticTexts& operator=(SyntheticTexts&&) noexcept;

  std::size_t size() const;
  /// i < size().
  SyntheticText operator[](std::size_t i) const;

 private:
  struct State;
  std::unique_ptr<const State> state_;
};

/// Made-up texts for where no real ones can be had: sentences of pronounceable words, one a line.
/// The lengths are strongly uneven (3 to 1500 words, log-normal about a median of 60). Every class
/// has a few key words of its own; each text holds one to four of its class's among thousands of
/// noise words, wherever they fall, and now and then one of another class's. The target is the mean
/// strength of its key words plus a little noise. With `several_labels` a text has none to three of
/// the classes, one or two key words of each and none of another. Splits: 75 % train, 10 % dev, 15
/// % test.
///
/// A pure function of its options, the same on every machine; a text depends on its number and the
/// seed alone, so more texts begin with the same ones.
/// Throws ValueError for fewer than two classes or no texts.
PADLESS_API LabelledSet make_synthetic_set(const SyntheticOptions& options);

}  // namespace padless
