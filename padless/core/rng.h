// Random numbers by counter: the same on every platform, thread count and instruction set.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "padless/core/export.h"
#include "padless/core/matrix.h"

namespace padless {

/// Philox4x32-10: four 32-bit words that are a pure function of counter and key.
/// Source: Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC 2011).
PADLESS_API std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                                std::array<std::uint32_t, 2> key);

/// The key of one op's draws in one training step: the first two words of
/// philox((step, op, 0, 0), seed).
PADLESS_API std::array<std::uint32_t, 2> draw_key(std::uint64_t seed, std::uint32_t step,
                                                  std::uint32_t op);

/// A stream of draws, for what happens in order: first values of parameters, shuffles.
/// Streams of one seed with different numbers are independent.
class PADLESS_API Rng {
 public:
  explicit Rng(std::uint64_t seed, std::uint32_t stream = 0);

  std::uint32_t next();
  /// A whole number in [0, below), each equally likely. `below` is at least 1.
  std::uint64_t below(std::uint64_t below);
  /// In [0, 1), a multiple of 2^-53.
  double uniform();
  /// Normally distributed, mean 0, variance 1 (Box and Muller's transform, in double).
  double normal();
  /// rows x cols draws of normal() * deviation, rounded to float.
  Matrix<float> normal(std::size_t rows, std::size_t cols, double deviation);

 private:
  std::array<std::uint32_t, 2> key_;
  std::uint32_t stream_;
  std::uint64_t block_ = 0;
  std::array<std::uint32_t, 4> words_{};
  std::size_t used_ = 4;
};

}  // namespace padless
