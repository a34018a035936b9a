#include "padless/batch/pair_pass.h"

#include "padless/core/error.h"

namespace padless {

PairPass::PairPass(const Segments& sources, const Segments& targets)
    : sources_(sources), targets_(targets) {
  require_shape(sources.count() == targets.count(), "PairPass: there are ", sources.count(),
                " sources, expected ", targets.count(), " (the number of targets)");
  source_pass_.documents = &sources_;
  target_pass_.documents = &targets_;
}

PairPass::PairPass(const Segments& sources, const Segments& targets, std::uint64_t seed,
                   std::uint32_t step, std::size_t shards,
                   std::span<const std::uint64_t> document_numbers)
    : PairPass(sources, targets) {
  require_shape(document_numbers.size() == targets.count(), "PairPass: there are ",
                document_numbers.size(), " document numbers, expected ", targets.count());
  const Shards pairs = Shards::of_items(targets_, shards);
  source_shards_ = pairs.inner(sources_);
  target_shards_ = pairs.inner(targets_);
  const auto train = [&](Pass& pass, const Shards& cut) {
    pass.training = true;
    pass.seed = seed;
    pass.step = step;
    pass.shards = &cut;
    pass.document_numbers = document_numbers;
  };
  train(source_pass_, source_shards_);
  train(target_pass_, target_shards_);
}

}  // namespace padless
