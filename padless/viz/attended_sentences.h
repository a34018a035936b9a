// What the terminal and the HTML form of a heatmap share: the text cut into sentences, weights
// turned into intensities.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "padless/viz/heatmap.h"

namespace padless::viz {

/// A word with what a heatmap shows of it.
struct AttendedWord {
  std::string_view text;
  float weight = 0;        ///< as given
  double intensity = 0;    ///< 0..1, relative to the strongest word of the sentence
  bool has_number = true;  ///< false: the weight is not finite
};

/// A sentence with what a heatmap shows of it.
struct AttendedSentence {
  std::vector<AttendedWord> words;
  double share = 0;        ///< 0..1, of the sentence in its document
  bool has_number = true;  ///< false: the weight is not finite
};

/// The sentences of `text`; `where` begins the error's message. Throws ShapeError when the lengths
/// do not fit together.
std::vector<AttendedSentence> attended_sentences(const AttendedText& text, std::string_view where);

}  // namespace padless::viz
