// Causal attention word by word: a cache keeps keys and values, so that one more word costs one
// row, and its bits are those of all words at once.
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <vector>

#include "padless/padless.h"

int main() {
  padless::Runtime runtime;
  padless::Rng rng(1);
  const padless::MultiHeadAttention attention(
      {.width = 4, .heads = 2, .attend = padless::Attend::causal(padless::Align::bottom_right)},
      rng);
  const padless::Matrix<float> words = rng.normal(3, 4, 1);
  const auto lengths = [](std::int64_t length) {
    return padless::Segments::from_lengths(std::vector<std::int64_t>{length});
  };

  padless::Matrix<float> whole(3, 4), next(1, 4);
  padless::MultiHeadAttention::Saved saved;
  attention.forward(runtime, {}, 0, words.view(), lengths(3), whole.view(), saved);

  padless::KeyValueCache cache = attention.cache(1);
  for (std::size_t t = 0; t < 3; ++t) {
    attention.extend(runtime, {}, words.view().rows_at(t, 1), lengths(1), cache, next.view());
    std::cout << "word " << t << ", " << cache.length(0) << " in the cache: " << next(0, 0)
              << (std::ranges::equal(next.cells(), whole.view().row(t)) ? ", the same bits\n"
                                                                        : ", other bits\n");
  }
}
