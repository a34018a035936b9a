#include "padless/train/examples.h"

#include <numeric>

#include "padless/core/error.h"

namespace padless {
namespace {

NestedSegments structure_of(const Examples& examples, std::span<const std::size_t> items) {
  std::vector<std::size_t> documents, sentences;
  for (const std::size_t item : items) {
    const std::vector<std::size_t>& lengths = examples.documents[item].sentence_lengths;
    documents.push_back(lengths.size());
    sentences.insert(sentences.end(), lengths.begin(), lengths.end());
  }
  return {Segments::from_lengths(std::span<const std::size_t>(documents)),
          Segments::from_lengths(std::span<const std::size_t>(sentences))};
}

}  // namespace

ExampleBatch gather(const Examples& examples, std::span<const std::size_t> items) {
  ExampleBatch batch;
  for (const std::size_t item : items) {
    require_value(item < examples.size(), "gather: item ", item, " of ", examples.size(),
                  " examples");
    const std::vector<std::int32_t>& words = examples.documents[item].words;
    batch.ids.insert(batch.ids.end(), words.begin(), words.end());
    if (!examples.labels.empty()) batch.labels.push_back(examples.labels[item]);
    if (!examples.targets.empty()) batch.targets.push_back(examples.targets[item]);
    if (!examples.label_sets.empty()) batch.label_sets.push_back(examples.label_sets[item]);
    batch.numbers.push_back(examples.numbers[item]);
  }
  batch.nested = structure_of(examples, items);
  return batch;
}

Matrix<std::int32_t> label_targets(std::span<const std::vector<std::int32_t>> label_sets,
                                   std::size_t labels) {
  Matrix<std::int32_t> targets(label_sets.size(), labels);
  for (std::size_t i = 0; i < label_sets.size(); ++i) {
    for (const std::int32_t label : label_sets[i]) {
      if (label < 0) continue;
      require_value(static_cast<std::size_t>(label) < labels, "label_targets: set ", i,
                    " has the label ", label, ", expected less than ", labels);
      targets(i, static_cast<std::size_t>(label)) = 1;
    }
  }
  return targets;
}

NestedSegments structure(const Examples& examples) {
  std::vector<std::size_t> all(examples.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return structure_of(examples, all);
}

}  // namespace padless
