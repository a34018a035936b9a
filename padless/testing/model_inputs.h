// What the models' tests feed their models: small texts of numbered documents, and parameters of
// which none is 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "padless/batch/nested.h"
#include "padless/core/parameter.h"
#include "padless/core/rng.h"

namespace padless::testing {

/// A document's sentences, by their lengths, and its number in the data file.
struct Text {
  std::vector<std::size_t> sentences;
  std::vector<std::int32_t> ids;
  std::uint64_t number = 0;
};

/// Texts with sentences of these lengths and ids below `vocabulary`.
inline std::vector<Text> random_texts(const std::vector<std::vector<std::size_t>>& documents,
                                      std::size_t vocabulary, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<Text> texts;
  for (const std::vector<std::size_t>& sentences : documents) {
    Text text{.sentences = sentences, .ids = {}, .number = 100 + texts.size()};
    const std::size_t words = std::accumulate(sentences.begin(), sentences.end(), std::size_t{0});
    for (std::size_t i = 0; i < words; ++i) {
      text.ids.push_back(static_cast<std::int32_t>(rng.below(vocabulary)));
    }
    texts.push_back(text);
  }
  return texts;
}

/// Texts end to end, as a model takes them.
struct TextBatch {
  NestedSegments nested;
  std::vector<std::int32_t> ids;
  std::vector<std::uint64_t> numbers;
};

inline TextBatch batch_of(const std::vector<Text>& texts) {
  std::vector<std::size_t> documents, sentences;
  TextBatch batch;
  for (const Text& text : texts) {
    documents.push_back(text.sentences.size());
    sentences.insert(sentences.end(), text.sentences.begin(), text.sentences.end());
    batch.ids.insert(batch.ids.end(), text.ids.begin(), text.ids.end());
    batch.numbers.push_back(text.number);
  }
  batch.nested = NestedSegments(Segments::from_lengths(std::span<const std::size_t>(documents)),
                                Segments::from_lengths(std::span<const std::size_t>(sentences)));
  return batch;
}

/// Biases start at 0: other values show whether they are used.
template <class Model>
void draw_zeros(Model& model, Rng& rng) {
  model.for_each_parameter([&rng](const std::string&, Parameter& parameter) {
    for (float& cell : parameter.value.cells()) {
      if (cell == 0) cell = static_cast<float>(0.3 * rng.normal());
    }
  });
}

}  // namespace padless::testing
