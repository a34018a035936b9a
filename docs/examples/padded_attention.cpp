// Padded arrays as other libraries have them: the mask says whose convention it is in, and what
// lies in padding reaches nothing.
#include <cmath>
#include <cstdint>
#include <iostream>
#include <vector>

#include "padless/padless.h"

int main() {
  padless::Runtime runtime;
  const float nan = std::nanf("");
  // [2 sequences, 1 head, 3 slots, 1 number]: the first has two tokens, the second one.
  const std::vector<float> x = {1, 2, nan, 5, nan, nan};
  const std::vector<std::int64_t> attention_mask = {1, 1, 0, 1, 0, 0};  // Hugging Face: 1 = token
  const auto mask = padless::KeepMask::from_hf(
      padless::MaskArray(std::span<const std::int64_t>(attention_mask), {2, 3}));

  const padless::FloatArray array{x, {2, 1, 3, 1}};
  const auto result = padless::scaled_dot_product_attention(runtime, array, array, array, mask);
  for (std::size_t i = 0; i < 2; ++i) {
    std::cout << "token " << i << " of the first: weights";
    for (std::size_t j = 0; j < 3; ++j) std::cout << ' ' << result.weights[3 * i + j];
    std::cout << ", output " << result.output[i] << '\n';
  }
  std::cout << "the second: " << result.output[3] << '\n';
}
