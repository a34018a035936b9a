#pragma once

#include <cstddef>
#include <cstdint>

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
