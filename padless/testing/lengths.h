// Lengths of sequences as benchmarks want them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "padless/core/rng.h"

namespace padless::testing {

/// `count` log-normal lengths, about 1.3 * median on average; the longest of some hundred is about
/// six times the median. The shape of reviews and package descriptions.
inline std::vector<std::size_t> long_tailed_lengths(std::size_t count, std::size_t median) {
  Rng rng(1);
  std::vector<std::size_t> lengths(count);
  for (std::size_t& length : lengths) {
    length =
        1 + static_cast<std::size_t>(static_cast<double>(median) * std::exp(0.7 * rng.normal()));
  }
  return lengths;
}

/// As many lengths, all the same, of nearly the same sum.
inline std::vector<std::size_t> equal_lengths(const std::vector<std::size_t>& like) {
  std::size_t sum = 0;
  for (const std::size_t length : like) sum += length;
  return std::vector<std::size_t>(like.size(), sum / like.size());
}

/// What padding makes of them: all as long as the longest.
inline std::vector<std::size_t> padded_lengths(const std::vector<std::size_t>& like) {
  return std::vector<std::size_t>(like.size(), *std::ranges::max_element(like));
}

}  // namespace padless::testing
