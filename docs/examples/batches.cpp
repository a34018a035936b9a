// From padded arrays to rows and back, and a corpus into batches.
#include <cstdint>
#include <iostream>
#include <limits>
#include <vector>

#include "padless/padless.h"

namespace {

template <class Value>
void print(const char* name, const std::vector<Value>& values) {
  std::cout << name << ':';
  for (const Value value : values) std::cout << ' ' << value;
  std::cout << '\n';
}

}  // namespace

int main() {
  // Two texts of three slots: the first padded on the left, the second in between.
  const std::vector<std::int64_t> mask = {0, 1, 1, 1, 0, 1};  // Hugging Face: 1 = token
  const std::vector<std::int32_t> ids = {-7, 11, 12, 21, -7, 22};
  const padless::Packing packing(
      padless::KeepMask::from_hf(padless::MaskArray(std::span<const std::int64_t>(mask), {2, 3})));
  std::vector<std::int32_t> rows(packing.segments().total());
  padless::pack(std::span<const std::int32_t>(ids), packing, rows);
  print("rows without padding", rows);

  std::vector<std::int32_t> padded(packing.padded_rows());
  padless::unpack(std::span<const std::int32_t>(rows), packing, 0, padded);
  print("back in their slots", padded);

  // An additive mask is taken apart: what drops a key, and what is added to the others.
  const std::vector<float> additive = {0, 0.5f, -std::numeric_limits<float>::infinity()};
  const auto parts =
      padless::AdditiveMask::from_additive(padless::MaskArray(additive, {1, 1, 1, 3}),
                                           {.batch = 1, .heads = 1, .queries = 3, .keys = 3});
  std::cout << "the last key is kept: " << std::boolalpha << parts.keep(0, 0, 0, 2) << '\n';
  if (parts.bias) std::cout << "the second one's bias: " << parts.bias->row(0, 0, 0)[1] << '\n';

  // Six texts in batches of at most 12 words; what padding each batch would have cost.
  const std::vector<std::int64_t> lengths = {9, 1, 5, 2, 8, 3};
  const auto corpus = padless::Segments::from_lengths(lengths);
  const padless::Batches batches = padless::bucket(corpus, {.seed = 1, .batch_tokens = 12}, 0);
  for (std::size_t i = 0; i < batches.count(); ++i) {
    std::cout << "a batch of the lengths";
    for (const std::size_t text : batches[i]) std::cout << ' ' << lengths[text];
    std::cout << '\n';
  }
  const padless::Padding padding = padless::padding(corpus, batches);
  std::cout << padding.real << " words would have been " << padding.slots << " slots\n";
}
