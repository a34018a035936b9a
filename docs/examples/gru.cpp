// Two sentences of unequal length through a GRU that reads each in both directions: the last state
// is that of the own last word, and nobody's company reaches it.
#include <cstdint>
#include <iostream>
#include <vector>

#include "padless/padless.h"

int main() {
  padless::Runtime runtime;
  padless::Rng rng(1);
  const padless::BiGru gru(3, 2, padless::GruReset::after, rng);  // words of 3 numbers, 2 states
  const padless::Matrix<float> words = rng.normal(5, 3, 1);
  const std::vector<std::int64_t> lengths = {4, 1};
  const auto sentences = padless::Segments::from_lengths(lengths);

  padless::Matrix<float> states(5, 4);  // forwards, then backwards
  padless::BiGru::Saved saved;
  gru.forward(runtime, {}, words.view(), sentences, states.view(), saved);
  for (std::size_t b = 0; b < sentences.count(); ++b) {
    const auto [begin, end] = sentences[b];
    std::cout << "sentence " << b << ": forwards " << states(end - 1, 0) << ' '
              << states(end - 1, 1) << ", backwards " << states(begin, 2) << ' ' << states(begin, 3)
              << '\n';
  }

  // The second sentence by itself: the same bits.
  const std::vector<std::int64_t> one = {1};
  padless::Matrix<float> alone(1, 4);
  gru.forward(runtime, {}, words.view().rows_at(4, 1), padless::Segments::from_lengths(one),
              alone.view(), saved);
  std::cout << "alone:      forwards " << alone(0, 0) << ' ' << alone(0, 1) << ", backwards "
            << alone(0, 2) << ' ' << alone(0, 3) << '\n';
}
