// A Transformer encoder-decoder learns to write sequences of symbols backwards.
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "padless/padless.h"

namespace {

constexpr std::int32_t kSymbols = 8, kBegin = 8, kEnd = 9;

/// Sequences of 1 to 10 symbols, end to end, and each of them backwards.
struct Pairs {
  padless::Segments segs;
  std::vector<std::int32_t> sources, targets;
};

Pairs random_pairs(padless::Rng& rng, std::size_t count) {
  Pairs pairs;
  std::vector<std::size_t> lengths;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t length = 1 + rng.below(10);
    lengths.push_back(length);
    for (std::size_t t = 0; t < length; ++t) {
      pairs.sources.push_back(static_cast<std::int32_t>(rng.below(kSymbols)));
    }
    pairs.targets.insert(pairs.targets.end(), pairs.sources.rbegin(),
                         pairs.sources.rbegin() + static_cast<std::ptrdiff_t>(length));
  }
  pairs.segs = padless::Segments::from_lengths(std::span<const std::size_t>(lengths));
  return pairs;
}

/// How many of the sources' best decodings are their targets.
std::size_t right(padless::Runtime& runtime, const padless::TransformerSeq2Seq& model,
                  const Pairs& pairs, std::size_t beams) {
  const auto decoded = model.decode(runtime, pairs.segs, pairs.sources, {.beams = beams});
  std::size_t count = 0;
  for (std::size_t b = 0; b < decoded.size(); ++b) {
    const auto target = std::span(pairs.targets).subspan(pairs.segs[b].begin, pairs.segs.length(b));
    if (std::ranges::equal(decoded[b][0].ids, target)) ++count;
  }
  return count;
}

}  // namespace

int main() {  // NOLINT(bugprone-exception-escape): an error ends it
  padless::Rng rng(1);
  padless::TransformerSeq2Seq model({.source_vocabulary = kSymbols,
                                     .target_vocabulary = kSymbols + 2,
                                     .begin = kBegin,
                                     .end = kEnd,
                                     .width = 32,
                                     .encoder_layers = 1,
                                     .decoder_layers = 1,
                                     .heads = 4,
                                     .feed_forward = 64,
                                     .max_length = 16,
                                     .dropout = 0},
                                    rng);
  std::vector<padless::Parameter*> parameters;
  model.for_each_parameter(
      [&](const std::string&, padless::Parameter& parameter) { parameters.push_back(&parameter); });
  padless::AdamW optimizer({.decay = 0}, parameters);

  padless::Runtime runtime;
  constexpr std::uint32_t kSteps = 2000;
  for (std::uint32_t step = 0; step < kSteps; ++step) {
    const Pairs pairs = random_pairs(rng, 32);
    const auto targets = padless::ShiftedTargets::of(pairs.segs, pairs.targets, kBegin, kEnd);
    std::vector<std::uint64_t> numbers(pairs.segs.count());  // whose draws of dropout are whose
    std::iota(numbers.begin(), numbers.end(), std::uint64_t{step} * numbers.size());
    const padless::PairPass pass(pairs.segs, targets.segs, 1, step, 8, numbers);
    const padless::Arena::Scope scope(runtime.arena());
    const auto scores = runtime.arena().matrix(targets.ids.size(), kSymbols + 2);
    padless::TransformerSeq2Seq::Saved saved;
    model.forward(runtime, pass, pairs.sources, targets.ids, scores, saved);

    // The loss of each word of the targets, their mean over the step.
    const auto d_scores = runtime.arena().matrix(targets.ids.size(), kSymbols + 2);
    padless::softmax_cross_entropy_forward(runtime, pass.target_pass(), scores, targets.labels, {},
                                           d_scores);
    padless::softmax_cross_entropy_backward(runtime, pass.target_pass(), d_scores, targets.labels,
                                            {}, 1.0f / static_cast<float>(targets.ids.size()),
                                            d_scores);
    model.backward(runtime, pass, d_scores, pairs.sources, targets.ids, saved);
    const double rest = 1 - static_cast<double>(step) / kSteps;
    optimizer.step(runtime, parameters, static_cast<float>(4e-3 * rest), 1.0);
  }

  const Pairs unseen = random_pairs(rng, 1000);
  for (const std::size_t beams : {1, 4}) {
    std::cout << "beams " << beams << ": " << right(runtime, model, unseen, beams)
              << " of 1000 sequences are written backwards without a fault\n";
  }
}
