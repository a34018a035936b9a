#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "padless/batch/nested.h"
#include "padless/core/export.h"
#include "padless/core/matrix.h"
#include "padless/text/vocabulary.h"

namespace padless {

/// Documents as ids, with what is to be learnt of them: a class each, a number each, or any number
/// of labels each.
struct Examples {
  std::vector<DocumentIds> documents;
  std::vector<std::int32_t> labels;    ///< classes; -1 for one unseen in training. Or none
  std::vector<float> targets;          ///< as the model computes them. Or none
  std::vector<std::uint64_t> numbers;  ///< each document's row in its data file
  /// Of each document rising labels, behind a -1 for each one unseen in training. Or none
  std::vector<std::vector<std::int32_t>> label_sets = {};

  std::size_t size() const { return documents.size(); }
};

/// Some of the examples end to end: what a model takes.
struct ExampleBatch {
  NestedSegments nested;
  std::vector<std::int32_t> ids;
  std::vector<std::int32_t> labels;
  std::vector<float> targets;
  std::vector<std::uint64_t> numbers;
  std::vector<std::vector<std::int32_t>> label_sets;
};

/// The examples `items`, in that order. Throws ValueError for one beyond the last.
PADLESS_API ExampleBatch gather(const Examples& examples, std::span<const std::size_t> items);

/// The sets as a yes or no for each label: [sets, labels], 1 where a set has the label, else 0. One
/// unseen in training has no place there. Throws ValueError for a label beyond the last.
PADLESS_API Matrix<std::int32_t> label_targets(
    std::span<const std::vector<std::int32_t>> label_sets, std::size_t labels);

/// The structure of all examples.
PADLESS_API NestedSegments structure(const Examples& examples);

}  // namespace padless
