#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "padless/batch/nested.h"
#include "padless/batch/pass.h"
#include "padless/batch/shards.h"
#include "padless/core/export.h"

namespace padless {

/// One pass over documents of sentences of words, seen from each of its three levels. A sentence
/// without words is as if it were not there. `document_numbers` have to outlive it.
class PADLESS_API NestedPass {
 public:
  /// Inference.
  explicit NestedPass(const NestedSegments& nested);
  /// Training: step `step` of a run with `seed`; sums over rows in `shards` shards, cut at whole
  /// documents by their words. `document_numbers`: each document's row in the data file.
  /// Throws ValueError unless `shards` is a power of two, ShapeError unless there is a number for
  /// each document.
  NestedPass(const NestedSegments& nested, std::uint64_t seed, std::uint32_t step,
             std::size_t shards, std::span<const std::uint64_t> document_numbers);
  NestedPass(const NestedPass&) = delete;
  NestedPass& operator=(const NestedPass&) = delete;

  /// The documents without their empty sentences: the rows of the three levels.
  const NestedSegments& kept() const { return kept_; }
  const Pass& words() const { return words_; }
  const Pass& sentences() const { return sentences_; }
  const Pass& documents() const { return documents_; }

 private:
  NestedSegments kept_;
  Segments one_row_each_;
  Shards document_shards_, sentence_shards_, word_shards_;
  Pass words_, sentences_, documents_;
};

}  // namespace padless
