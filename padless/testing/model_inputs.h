// What the models' tests feed their models: small texts of numbered documents, and parameters of
// which none is 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "padless/batch/nested.h"
#include "padless/batch/nested_pass.h"
#include "padless/batch/pair_pass.h"
#include "padless/batch/pass.h"
#include "padless/core/parameter.h"
#include "padless/core/rng.h"
#include "padless/testing/contract.h"

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

/// The contract's sequences of words as documents: a word of id 0 ends its sentence, one of id 1
/// does and has a sentence without words behind it.
inline NestedSegments sentences_by_ids(const Segments& words, std::span<const std::int32_t> ids) {
  std::vector<std::size_t> documents, sentences;
  for (std::size_t d = 0; d < words.count(); ++d) {
    const std::size_t before = sentences.size();
    std::size_t open = 0;
    for (const std::int32_t id : ids.subspan(words[d].begin, words.length(d))) {
      ++open;
      if (id > 1) continue;
      sentences.push_back(std::exchange(open, 0));
      if (id == 1) sentences.push_back(0);
    }
    if (open > 0) sentences.push_back(open);
    documents.push_back(sentences.size() - before);
  }
  return {Segments::from_lengths(std::span<const std::size_t>(documents)),
          Segments::from_lengths(std::span<const std::size_t>(sentences))};
}

/// How many shards a pass of the contract asks for.
inline std::size_t shard_count(const Pass& pass) {
  return pass.shards != nullptr ? pass.shards->count() : 1;
}

/// A pass of the contract over its sequences, as documents of these sentences.
inline NestedPass nested_pass(const Pass& pass, const NestedSegments& nested) {
  return {nested, pass.seed, pass.step, shard_count(pass), pass.document_numbers};
}

/// A pass of the contract over its sequences and their sources.
inline PairPass pair_pass(const Pass& pass, const Segments& sources, const Segments& targets) {
  return {sources, targets, pass.seed, pass.step, shard_count(pass), pass.document_numbers};
}

/// A model's head reaches rows that stand for nothing: its bias has a gradient of its own.
inline std::vector<Operand> head_of_no_rows(std::vector<Operand> parameters) {
  for (Operand& parameter : parameters) parameter.of_no_rows = parameter.name == "head.bias";
  return parameters;
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
