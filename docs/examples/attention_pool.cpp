// The backward pass of attention pooling, and what an empty sequence comes to.
#include <cstdint>
#include <iostream>
#include <vector>

#include "padless/padless.h"

int main() {
  padless::Runtime runtime;
  const std::vector<std::int64_t> lengths = {2, 0, 1};
  const auto segs = padless::Segments::from_lengths(lengths);
  const std::vector<float> x = {1, 0, 0, 1, 4, 4};
  const std::vector<float> scores = {-120000, -120001, 7};
  std::vector<float> out(6), weights(3);
  const std::size_t empty = padless::attention_pool_forward(runtime, {}, {x.data(), 3, 2}, scores,
                                                            segs, {out.data(), 3, 2}, weights);
  std::cout << empty << " sequence of no rows: " << out[2] << ' ' << out[3] << '\n';
  std::cout << "weights " << weights[0] << ' ' << weights[1] << ' ' << weights[2] << '\n';

  const std::vector<float> d_out = {1, 0, 9, 9, 1, 1};  // of a loss by `out`
  std::vector<float> d_x(6), d_scores(3);
  padless::attention_pool_backward(runtime, {}, {d_out.data(), 3, 2}, {x.data(), 3, 2}, weights,
                                   segs, {d_x.data(), 3, 2}, d_scores);
  std::cout << "d_scores " << d_scores[0] << ' ' << d_scores[1] << ' ' << d_scores[2] << '\n';
}
