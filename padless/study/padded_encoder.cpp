#include "padless/study/padded_encoder.h"

#include <algorithm>

#include "padless/core/error.h"

namespace padless::study {
namespace {

// The pass over documents that are as long as the longest, each one sentence.
std::unique_ptr<NestedPass> padded_pass(const NestedPass& pass) {
  const Segments& words = pass.kept().words();
  const std::vector<std::size_t> ones(words.count(), 1), lengths(words.count(), words.longest());
  const NestedSegments padded(Segments::from_lengths(std::span<const std::size_t>(ones)),
                              Segments::from_lengths(std::span<const std::size_t>(lengths)));
  const Pass& documents = pass.documents();
  if (documents.shards == nullptr) return std::make_unique<NestedPass>(padded);
  return std::make_unique<NestedPass>(padded, documents.seed, documents.step,
                                      documents.shards->count(), documents.document_numbers);
}

}  // namespace

void PaddedEncoder::forward(Runtime& runtime, const NestedPass& pass,
                            std::span<const std::int32_t> ids, MatrixView<float> out,
                            Saved& saved) const {
  const Segments& words = pass.kept().words();
  require_shape(ids.size() == words.total(), "PaddedEncoder: there are ", ids.size(),
                " ids, expected ", words.total(), " (the number of words)");
  const std::size_t slots = words.longest();
  saved.ids.assign(words.count() * slots, pad());
  for (std::size_t d = 0; d < words.count(); ++d) {
    std::ranges::copy(ids.subspan(words[d].begin, words.length(d)),
                      saved.ids.begin() + static_cast<std::ptrdiff_t>(d * slots));
  }
  saved.pass = padded_pass(pass);
  encoder_.forward(runtime, *saved.pass, saved.ids, out, saved.inner);
}

void PaddedEncoder::backward(Runtime& runtime, const NestedPass&, MatrixView<const float> d_out,
                             std::span<const std::int32_t>, const Saved& saved) {
  encoder_.backward(runtime, *saved.pass, d_out, saved.ids, saved.inner);
}

}  // namespace padless::study
