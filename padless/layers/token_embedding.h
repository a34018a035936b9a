#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "padless/batch/pass.h"
#include "padless/batch/segments.h"
#include "padless/core/export.h"
#include "padless/core/matrix.h"
#include "padless/core/parameter.h"
#include "padless/core/rng.h"
#include "padless/core/runtime.h"

namespace padless {

/// How a model knows the order of a sequence's rows.
enum class Positions {
  none,        ///< it does not
  learned,     ///< a row is added for each place, as BERT does
  sinusoidal,  ///< sines and cosines are added, which nothing learns
  rope,        ///< queries and keys are turned by their places
  alibi,       ///< scores of attention fall with the distance
};

/// The numbers that make a token embedding.
struct PADLESS_API TokenEmbeddingConfig {
  std::size_t vocabulary = 0;  ///< V: ids are below
  std::size_t width = 0;       ///< C
  Positions positions = Positions::learned;
  std::size_t max_length = 512;  ///< of a sequence
  float dropout = 0;             ///< of the rows, in training

  /// How many numbers are learnt.
  double parameters() const;
};

/// A row for each token: of its word, plus that of its place in the sequence where positions are
/// learned or sinusoidal (the other kinds are the attention's).
class PADLESS_API TokenEmbedding {
 public:
  TokenEmbedding(const TokenEmbeddingConfig& config, Rng& rng);

  /// ids [T] -> out [T, C] (written). Sequence b's first row has the place first[b], or 0 where
  /// `first` is empty. `op` is the number of its draws. `who` names the model in errors.
  /// Throws ValueError for an id that is no word of the vocabulary and for a sequence that is
  /// longer than max_length, ShapeError.
  void forward(Runtime& runtime, const Pass& pass, std::uint32_t op, const char* who,
               const Segments& segs, std::span<const std::size_t> first,
               std::span<const std::int32_t> ids, MatrixView<float> out) const;
  /// d_out [T, C], of sequences whose first row has the place 0; adds to the gradient of every
  /// parameter.
  void backward(Runtime& runtime, const Pass& pass, std::uint32_t op, const Segments& segs,
                std::span<const std::int32_t> ids, MatrixView<const float> d_out);

  /// Calls visit(name, parameter) for words.weight and, where they are learned, positions.weight.
  template <class Visit>
  void for_each_parameter(Visit&& visit) {
    visit(std::string("words.weight"), words_);
    if (config_.positions == Positions::learned) {
      visit(std::string("positions.weight"), positions_);
    }
  }

 private:
  bool adds_positions() const {
    return config_.positions == Positions::learned || config_.positions == Positions::sinusoidal;
  }

  TokenEmbeddingConfig config_;
  Parameter words_;
  Parameter positions_;  // [max_length, C] where they are added; nothing learns sinusoidal ones
};

}  // namespace padless
