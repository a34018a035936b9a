// A Transformer's block over two texts: attention and a feed-forward, each with a layer norm in
// front and a residual sum behind. A text's rows are the same alone and in company.
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <vector>

#include "padless/padless.h"

int main() {
  padless::Runtime runtime;
  padless::Rng rng(1);
  const padless::EncoderBlock block({.width = 4, .heads = 2, .feed_forward = 8}, rng);
  const padless::Matrix<float> x = rng.normal(5, 4, 1);  // rows of three words, then of two
  const auto run = [&](padless::MatrixView<const float> rows,
                       const std::vector<std::int64_t>& lengths) {
    padless::Matrix<float> out(rows.rows(), 4);
    padless::EncoderBlock::Saved saved;
    block.forward(runtime, {}, 0, rows, padless::Segments::from_lengths(lengths), out.view(),
                  saved);
    return out;
  };
  const padless::Matrix<float> both = run(x.view(), {3, 2});
  const padless::Matrix<float> second = run(x.view().rows_at(3, 2), {2});
  for (std::size_t c = 0; c < 4; ++c) std::cout << both(3, c) << (c < 3 ? ' ' : '\n');
  std::cout << std::boolalpha
            << "the same bits alone: " << std::ranges::equal(both.cells().last(8), second.cells())
            << '\n';
}
