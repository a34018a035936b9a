// Orders and cuts a corpus into batches by tokens, and counts what padding would have cost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "padless/batch/nested.h"
#include "padless/batch/segments.h"
#include "padless/core/export.h"

namespace padless {

/// A corpus cut into batches.
struct Batches {
  std::vector<std::size_t> items;  ///< item numbers, batch after batch
  Segments cuts;                   ///< each batch's run of `items`

  std::size_t count() const { return cuts.count(); }
  /// The items of one batch.
  std::span<const std::size_t> operator[](std::size_t i) const {
    return std::span(items).subspan(cuts[i].begin, cuts[i].size());
  }
  friend bool operator==(const Batches&, const Batches&) = default;
};

/// How bucket() cuts the items of an epoch into batches.
struct BucketOptions {
  std::uint64_t seed = 0;
  /// A batch's tokens at most; a longer item has a batch of its own.
  std::size_t batch_tokens = 4096;
  /// A batch's items at most.
  std::size_t batch_items = std::numeric_limits<std::size_t>::max();
  /// How many shuffled items are sorted by length together: 1 = arrival as shuffled, more = more
  /// alike within a batch and less by chance.
  std::size_t window = 1024;
};

/// Cuts the items (sequences of `items`; only their lengths matter) for one epoch: shuffles them,
/// sorts each window by length, fills batches within the window, shuffles the batches. Every item
/// is in exactly one batch. A pure function of the arguments, on every machine.
/// Throws ValueError when batch_tokens, batch_items or window is 0, or epoch is 2^31 or more.
PADLESS_API Batches bucket(const Segments& items, const BucketOptions& options,
                           std::uint32_t epoch);

/// Batches of `batch_items` items each, in order of arrival; the last may be smaller.
/// Throws ValueError when batch_items is 0.
PADLESS_API Batches in_arrival_order(std::size_t items, std::size_t batch_items);

/// What the same batches would hold if they were padded.
struct Padding {
  std::size_t real = 0;   ///< tokens
  std::size_t slots = 0;  ///< tokens and pads

  /// The pads' share of all slots, 0 when there are none.
  double share() const {
    return slots == 0 ? 0 : static_cast<double>(slots - real) / static_cast<double>(slots);
  }
  friend bool operator==(const Padding&, const Padding&) = default;
};

/// Each batch as items x longest item.
/// Throws ValueError for an item number beyond the corpus.
PADLESS_API Padding padding(const Segments& items, const Batches& batches);
/// Each batch as documents x most sentences x most words of a sentence.
PADLESS_API Padding padding(const NestedSegments& documents, const Batches& batches);

}  // namespace padless
