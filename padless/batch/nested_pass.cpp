#include "padless/batch/nested_pass.h"

#include <vector>

#include "padless/core/error.h"

namespace padless {
namespace {

Segments one_row_each(std::size_t count) {
  return Segments::from_lengths(std::span<const std::size_t>(std::vector<std::size_t>(count, 1)));
}

}  // namespace

NestedPass::NestedPass(const NestedSegments& nested)
    : kept_(nested.without_empty_sentences()),
      one_row_each_(one_row_each(nested.documents().count())) {
  words_.documents = &kept_.words();
  sentences_.documents = &kept_.documents();
  documents_.documents = &one_row_each_;
}

NestedPass::NestedPass(const NestedSegments& nested, std::uint64_t seed, std::uint32_t step,
                       std::size_t shards, std::span<const std::uint64_t> document_numbers)
    : NestedPass(nested) {
  require_shape(document_numbers.size() == nested.documents().count(), "NestedPass: there are ",
                document_numbers.size(), " document numbers, expected ",
                nested.documents().count());
  document_shards_ = Shards::of_items(kept_.words(), shards);
  sentence_shards_ = document_shards_.inner(kept_.documents());
  word_shards_ = sentence_shards_.inner(kept_.sentences());
  const auto train = [&](Pass& pass, const Shards& cut) {
    pass.training = true;
    pass.seed = seed;
    pass.step = step;
    pass.shards = &cut;
    pass.document_numbers = document_numbers;
  };
  train(words_, word_shards_);
  train(sentences_, sentence_shards_);
  train(documents_, document_shards_);
}

}  // namespace padless
