#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "padless/batch/segments.h"
#include "padless/batch/shards.h"

namespace padless {

/// What one pass over a batch is, seen from one level of its rows (words, sentences or documents):
/// an argument of every op and layer.
struct Pass {
  /// In training dropout drops; without it, and with dropout 0, the bits are those of inference.
  bool training = false;
  /// With the step and an op's number, the key of every random choice in this pass.
  std::uint64_t seed = 0;
  std::uint32_t step = 0;

  /// Where sums over this level's rows are cut (backward only). Without cuts: one shard.
  const Shards* shards = nullptr;

  /// Whose rows these are, for draws that belong to a document and not to its place in a batch:
  /// `documents` gives each document its rows at this level, `document_numbers` its row in the
  /// data file. Without them, row t is row t of document 0.
  const Segments* documents = nullptr;
  std::span<const std::uint64_t> document_numbers;
};

}  // namespace padless
