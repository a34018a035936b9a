// Positions count from a sequence's own first row: added to rows, and as turns of queries and keys.
#include <cstdint>
#include <iostream>
#include <vector>

#include "padless/padless.h"

int main() {
  padless::Runtime runtime;
  const std::vector<std::int64_t> lengths = {2, 1};
  const auto segs = padless::Segments::from_lengths(lengths);
  const std::vector<float> table = {10, 20, 30}, x = {1, 2, 3};  // one number a position, and a row
  std::vector<float> y(3);
  padless::position_embedding_forward(runtime, {}, {table.data(), 3, 1}, segs, {}, {x.data(), 3, 1},
                                      {y.data(), 3, 1});
  std::cout << "added: " << y[0] << ' ' << y[1] << " | " << y[2] << '\n';

  // A query and a key of two numbers, turned by their places: only the distance is left.
  const padless::RotaryTable rotary(100, 2, padless::RotaryPairing::halves);
  const auto turned = [&](std::vector<float> row, std::size_t place) {
    const std::vector<std::int64_t> one = {1};
    const std::vector<std::size_t> first = {place};
    const padless::MatrixView<float> view(row.data(), 1, 2);
    padless::rope_forward(runtime, {}, rotary, 1, view, padless::Segments::from_lengths(one), first,
                          view);
    return row;
  };
  for (const std::size_t place : {0, 7, 90}) {
    const std::vector<float> q = turned({1, 2}, place + 3), k = turned({3, 1}, place);
    std::cout << "query at " << place + 3 << ", key at " << place << ": "
              << q[0] * k[0] + q[1] * k[1] << '\n';
  }
}
