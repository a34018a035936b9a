#pragma once

#include <cstddef>
#include <vector>

#include "padless/data/labelled_set.h"
#include "padless/train/examples.h"
#include "padless/train/text_model.h"

namespace padless::study {

/// The test texts of a set, as a model reads them.
struct TestSet {
  Examples examples;               ///< with labels (-1: unseen in training) where the model has any
  std::vector<std::size_t> items;  ///< each text's place in the set
};

/// Throws ValueError when there are none.
TestSet test_set(const LabelledSet& set, const TextModel& model);

}  // namespace padless::study
