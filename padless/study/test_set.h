#pragma once

#include <cstddef>
#include <vector>

#include "padless/data/labelled_set.h"
#include "padless/train/examples.h"
#include "padless/train/text_preparation.h"

namespace padless::study {

/// The test texts of a set, read as those of the training.
struct TestSet {
  Examples examples;  ///< with labels (-1: unseen in training) where classes are learnt
  std::vector<std::size_t> items;  ///< each text's place in the set
};

/// Throws ValueError when there are none.
TestSet test_set(const LabelledSet& set, const PreparedTexts& texts);

}  // namespace padless::study
