// Calls an operation, and catches what it refuses by its own type.
#include <padless/padless.h>

#include <cstdint>
#include <iostream>
#include <vector>

int main() {
  padless::Runtime runtime;
  const std::vector<std::int64_t> lengths = {2, 0};
  const auto segs = padless::Segments::from_lengths(lengths);
  const std::vector<float> x = {1, 3}, scores = {0, 0};
  std::vector<float> pooled(2), weights(2);
  padless::attention_pool_forward(runtime, {}, {x.data(), 2, 1}, scores, segs,
                                  {pooled.data(), 2, 1}, weights);
  if (pooled != std::vector<float>{2, 0}) {
    std::cout << "pooled is " << pooled[0] << ' ' << pooled[1] << ", expected 2 0\n";
    return 1;
  }
  try {
    padless::attention_pool_forward(runtime, {}, {x.data(), 1, 1}, scores, segs,
                                    {pooled.data(), 2, 1}, weights);
  } catch (const padless::ShapeError& error) {
    std::cout << error.what() << '\n';
    return 0;
  }
  std::cout << "x of one row was taken, expected ShapeError\n";
  return 1;
}
