#pragma once

#include <cstddef>

#include "padless/core/export.h"
#include "padless/core/gru_reset.h"

namespace padless {

/// The numbers that make a HAN.
struct PADLESS_API HanConfig {
  std::size_t vocabulary = 0;           ///< V: ids are below
  std::size_t outputs = 0;              ///< K: classes, or 1 for a number
  std::size_t embedding = 64;           ///< width of a word's vector
  std::size_t word_hidden = 32;         ///< units of the word GRU, each direction
  std::size_t word_attention = 64;      ///< units of the attention over words
  std::size_t sentence_hidden = 32;     ///< units of the sentence GRU, each direction
  std::size_t sentence_attention = 64;  ///< units of the attention over sentences
  float dropout = 0.2f;                 ///< of word vectors and document vectors, in training
  GruReset reset = GruReset::after;

  /// Throws ValueError, naming the field, when a size is 0 or above 2^24 (2^31 for the
  /// vocabulary), the parameters together pass 2^33, or dropout is not in [0, kMostDropout].
  void check() const;
  /// How many numbers a model of these sizes learns (a double: sizes of any file are asked).
  double parameters() const;
};

}  // namespace padless
