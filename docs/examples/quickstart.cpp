// Attention pooling of two texts, one of three words and one of one word: no padding, no mask.
#include <cstdint>
#include <iostream>
#include <vector>

#include "padless/padless.h"

int main() {
  padless::Runtime runtime;
  const std::vector<std::int64_t> lengths = {3, 1};
  const auto texts = padless::Segments::from_lengths(lengths);
  std::vector<float> words = {1, 0, 0, 1, 4, 4, 8, 2};  // a row of two numbers for each word
  std::vector<float> scores = {0.1f, 0.2f, 0.3f, 5.0f}, weights(4), pooled(4);
  padless::attention_pool_forward(runtime, {}, {words.data(), 4, 2}, scores, texts,
                                  {pooled.data(), 2, 2}, weights);
  for (const float weight : weights) std::cout << weight << ' ';
  std::cout << "and " << pooled[0] << ' ' << pooled[1] << ", " << pooled[2] << ' ' << pooled[3]
            << '\n';
}
