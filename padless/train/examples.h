#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "padless/batch/nested.h"
#include "padless/core/export.h"
#include "padless/text/vocabulary.h"

namespace padless {

/// Documents as ids, with what is to be learnt of them: a class each, or a number each.
struct Examples {
  std::vector<DocumentIds> documents;
  std::vector<std::int32_t> labels;    ///< classes; -1 for one unseen in training. Or none
  std::vector<float> targets;          ///< as the model computes them. Or none
  std::vector<std::uint64_t> numbers;  ///< each document's row in its data file

  std::size_t size() const { return documents.size(); }
};

/// Some of the examples end to end: what a model takes.
struct ExampleBatch {
  NestedSegments nested;
  std::vector<std::int32_t> ids;
  std::vector<std::int32_t> labels;
  std::vector<float> targets;
  std::vector<std::uint64_t> numbers;
};

/// The examples `items`, in that order. Throws ValueError for one beyond the last.
PADLESS_API ExampleBatch gather(const Examples& examples, std::span<const std::size_t> items);

/// The structure of all examples.
PADLESS_API NestedSegments structure(const Examples& examples);

}  // namespace padless
