// Two sentences of unequal length, causal, with their weights and the gradient of the queries.
#include <cstdint>
#include <iomanip>
#include <iostream>
#include <vector>

#include "padless/padless.h"

int main() {
  padless::Runtime runtime;
  const std::vector<std::int64_t> lengths = {3, 1};
  const auto segs = padless::Segments::from_lengths(lengths);
  // Four rows of one head, two numbers wide.
  const std::vector<float> q = {1, 0, 0, 1, 1, 1, 2, 0};
  const std::vector<float> k = {1, 0, 0, 1, 1, 1, 9, 9};
  const std::vector<float> v = {1, 10, 2, 20, 3, 30, 4, 40};
  std::vector<float> out(8), top(4), sum(4);
  const padless::AttentionStats stats{{top.data(), 4, 1}, {sum.data(), 4, 1}};
  const padless::AttentionOptions options{.scale = 1.0f, .attend = padless::Attend::causal()};
  padless::attention_forward(runtime, {}, options, {q.data(), 4, 2}, segs, {k.data(), 4, 2},
                             {v.data(), 4, 2}, segs, {out.data(), 4, 2}, stats);

  std::vector<float> weights(padless::attention_weights_begin(segs, segs, 1, segs.count()));
  padless::attention_weights(runtime, {}, options, {q.data(), 4, 2}, segs, {k.data(), 4, 2}, segs,
                             stats, weights);
  std::cout << std::fixed << std::setprecision(4);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) std::cout << weights[3 * i + j] << ' ';
    std::cout << " -> " << out[2 * i] << ' ' << out[2 * i + 1] << '\n';
  }
  std::cout << weights[9] << "  -> " << out[6] << ' ' << out[7] << '\n';

  const std::vector<float> d_out = {1, 0, 1, 0, 1, 0, 1, 0};  // of a loss by `out`
  std::vector<float> d_q(8), d_k(8), d_v(8);
  padless::attention_backward(runtime, {}, options, {d_out.data(), 4, 2}, {q.data(), 4, 2}, segs,
                              {k.data(), 4, 2}, {v.data(), 4, 2}, segs, {out.data(), 4, 2}, stats,
                              {{d_q.data(), 4, 2}, {d_k.data(), 4, 2}, {d_v.data(), 4, 2}});
  std::cout << "d_q of the third row: " << d_q[4] << ' ' << d_q[5] << '\n';
}
