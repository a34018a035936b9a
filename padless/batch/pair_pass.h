#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "padless/batch/pass.h"
#include "padless/batch/segments.h"
#include "padless/batch/shards.h"
#include "padless/core/export.h"

namespace padless {

/// One pass over pairs of sequences, a source and a target each, seen from the rows of either side.
/// `document_numbers` have to outlive it.
class PADLESS_API PairPass {
 public:
  /// Inference. Throws ShapeError unless there are as many sources as targets.
  PairPass(const Segments& sources, const Segments& targets);
  /// Training: step `step` of a run with `seed`; sums over rows in `shards` shards, cut at whole
  /// pairs by the rows of the targets. `document_numbers`: each pair's row in the data file.
  /// Throws ValueError unless `shards` is a power of two, ShapeError unless there is a number for
  /// each pair.
  PairPass(const Segments& sources, const Segments& targets, std::uint64_t seed, std::uint32_t step,
           std::size_t shards, std::span<const std::uint64_t> document_numbers);
  PairPass(const PairPass&) = delete;
  PairPass& operator=(const PairPass&) = delete;

  const Segments& sources() const { return sources_; }
  const Segments& targets() const { return targets_; }
  const Pass& source_pass() const { return source_pass_; }
  const Pass& target_pass() const { return target_pass_; }

 private:
  Segments sources_, targets_;
  Shards source_shards_, target_shards_;
  Pass source_pass_, target_pass_;
};

}  // namespace padless
