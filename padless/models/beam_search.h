#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "padless/core/export.h"
#include "padless/core/matrix.h"
#include "padless/core/runtime.h"

namespace padless {

/// How a decoder writes.
struct PADLESS_API DecodingOptions {
  std::size_t beams = 1;       ///< hypotheses that are carried along; 1: greedy
  std::size_t max_length = 0;  ///< of what is written, the end not counted; 0: what the model can
  /// Hypotheses are compared by log probability / length^penalty: above 0, longer ones gain.
  double length_penalty = 0;

  /// Throws ValueError, naming the field.
  void check() const;
};

/// What was written.
struct Decoded {
  std::vector<std::int32_t> ids;  ///< without begin and end
  double log_probability = 0;     ///< of ids and, where it ended, of the end
  bool ended = false;             ///< false: max_length cut it
};

/// Beam search for one source: which hypotheses go on. Of equal ones the lower id, then the better
/// ranked hypothesis is taken; what goes on from a row with a NaN has probability 0. Source: Wu et
/// al., "Google's neural machine translation system" (2016), section 7, for the penalty's place.
class PADLESS_API BeamSearch {
 public:
  /// `end` is the id that ends a hypothesis. Without a max_length only ends stop the search. Throws
  /// as DecodingOptions::check.
  BeamSearch(const DecodingOptions& options, std::int32_t end);

  /// Hypotheses that go on, best first: at the start one, of no ids.
  std::span<const Decoded> live() const { return live_; }
  /// Done when as many have ended as there are beams and none that goes on can still be better than
  /// the worst of those, or at max_length ids. A single beam is done at its first end. What a
  /// length_penalty may still give is counted up to max_length, and without one not at all.
  bool done() const { return live_.empty(); }

  /// The scores [live().size(), V] of each live hypothesis's next id, V >= 1. Returns from which of
  /// the live ones each of the new ones goes on; ids.back() of each is its new id. Throws
  /// ShapeError for another shape; the search is then as before.
  std::vector<std::size_t> advance(Runtime& runtime, MatrixView<const float> scores);

  /// All hypotheses once done: best first, at most as many as beams.
  const std::vector<Decoded>& result() const { return ended_; }

 private:
  /// Puts the ended ones in their order and leaves out those beyond the beams.
  void rank();
  bool settled() const;

  DecodingOptions options_;
  std::int32_t end_;
  std::vector<Decoded> live_, ended_;
};

}  // namespace padless
