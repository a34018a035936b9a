#include "padless/data/split.h"

#include "padless/core/error.h"
#include "padless/core/rng.h"

namespace padless {

std::string_view split_name(Split split) {
  return split == Split::train ? "train" : split == Split::dev ? "dev" : "test";
}

std::optional<Split> parse_split(std::string_view value) {
  if (value == "train") return Split::train;
  if (value == "dev" || value == "validation" || value == "valid" || value == "val") {
    return Split::dev;
  }
  if (value == "test") return Split::test;
  return std::nullopt;
}

double split_draw(std::uint64_t seed, std::uint64_t row) {
  // A word of the counter that no stream of Rng uses, so that a shuffle of the same seed and the
  // split have nothing to do with each other.
  constexpr std::uint32_t kSplit = 0x73706C74;
  const auto word = [](std::uint64_t value) { return static_cast<std::uint32_t>(value); };
  const auto draw =
      philox({word(row), word(row >> 32), kSplit, kSplit}, {word(seed), word(seed >> 32)});
  const std::uint64_t bits = (std::uint64_t{draw[0]} << 32 | draw[1]) >> 11;
  return static_cast<double>(bits) * 0x1p-53;
}

bool in_share(std::uint64_t seed, std::uint64_t row, double share) {
  require_value(share >= 0 && share <= 1, "in_share: the share is ", share, ", expected 0 to 1");
  return split_draw(seed, row) < share;
}

}  // namespace padless
