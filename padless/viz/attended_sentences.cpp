#include "padless/viz/attended_sentences.h"

#include <algorithm>
#include <cmath>

#include "padless/core/error.h"

namespace padless::viz {
namespace {

void require_shapes(const AttendedText& text, std::string_view where) {
  require_shape(text.word_weights.size() == text.words.size(), where, ": word_weights is [",
                text.word_weights.size(), "], expected [", text.words.size(), "], one per word");
  require_shape(text.sentence_weights.size() == text.sentence_lengths.size(), where,
                ": sentence_weights is [", text.sentence_weights.size(), "], expected [",
                text.sentence_lengths.size(), "], one per sentence");
  std::size_t left = text.words.size();
  for (const std::size_t length : text.sentence_lengths) {
    require_shape(length <= left, where, ": sentence_lengths add up to more than the ",
                  text.words.size(), " words");
    left -= length;
  }
  require_shape(left == 0, where, ": sentence_lengths add up to ", text.words.size() - left,
                ", expected ", text.words.size(), ", the number of words");
}

}  // namespace

std::vector<AttendedSentence> attended_sentences(const AttendedText& text, std::string_view where) {
  require_shapes(text, where);
  std::vector<AttendedSentence> sentences(text.sentence_lengths.size());
  std::size_t word = 0;
  for (std::size_t s = 0; s < sentences.size(); ++s) {
    AttendedSentence& sentence = sentences[s];
    const float share = text.sentence_weights[s];
    sentence.has_number = std::isfinite(share);
    sentence.share = sentence.has_number ? std::clamp<double>(share, 0, 1) : 0;
    double top = 0;
    for (std::size_t i = 0; i < text.sentence_lengths[s]; ++i, ++word) {
      const float weight = text.word_weights[word];
      sentence.words.push_back({text.words[word], weight, 0, std::isfinite(weight)});
      if (std::isfinite(weight)) top = std::max<double>(top, weight);
    }
    for (AttendedWord& each : sentence.words)
      if (each.has_number && each.weight > 0) each.intensity = each.weight / top;
  }
  return sentences;
}

}  // namespace padless::viz
