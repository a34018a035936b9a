#include "padless/core/rng.h"

#include <cmath>
#include <numbers>

#include "padless/core/fp.h"
#include "padless/core/math.h"

namespace padless {
namespace {

constexpr std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
constexpr std::uint32_t high(std::uint64_t value) {
  return static_cast<std::uint32_t>(value >> 32);
}

}  // namespace

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {high(b) ^ counter[1] ^ key[0], low(b), high(a) ^ counter[3] ^ key[1], low(a)};
    key = {key[0] + 0x9E3779B9u, key[1] + 0xBB67AE85u};
  }
  return counter;
}

std::array<std::uint32_t, 2> draw_key(std::uint64_t seed, std::uint32_t step, std::uint32_t op) {
  const auto words = philox({step, op, 0, 0}, {low(seed), high(seed)});
  return {words[0], words[1]};
}

// The last word of the counter is 1 here and 0 in draw_key, so the two never meet.
Rng::Rng(std::uint64_t seed, std::uint32_t stream) : key_{low(seed), high(seed)}, stream_(stream) {}

std::uint32_t Rng::next() {
  if (used_ == words_.size()) {
    words_ = philox({low(block_), high(block_), stream_, 1}, key_);
    ++block_;
    used_ = 0;
  }
  return words_[used_++];
}

std::uint64_t Rng::below(std::uint64_t below) {
  // Draws above the largest multiple of `below` would favour small numbers: they are drawn again.
  const std::uint64_t rest = (0 - below) % below;
  for (;;) {
    const std::uint64_t draw = (std::uint64_t{next()} << 32) | next();
    if (draw >= rest) return draw % below;
  }
}

double Rng::uniform() {
  const std::uint64_t draw = (std::uint64_t{next()} << 32) | next();
  return static_cast<double>(draw >> 11) * 0x1p-53;
}

double Rng::normal() {
  const FpEnvironment environment;
  const double radius = std::sqrt(-2 * math::log(1 - uniform()));
  return radius * math::cos(2 * std::numbers::pi * uniform());
}

Matrix<float> Rng::normal(std::size_t rows, std::size_t cols, double deviation) {
  Matrix<float> drawn(rows, cols);
  for (float& cell : drawn.cells()) cell = static_cast<float>(normal() * deviation);
  return drawn;
}

}  // namespace padless
