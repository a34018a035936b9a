// Comparing results to the bit.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <string_view>

namespace padless::testing {

/// The bits of a number; all NaNs are one NaN.
inline std::uint32_t bits(float value) {
  return std::isnan(value) ? 0x7fc00000u : std::bit_cast<std::uint32_t>(value);
}

/// Fails, with the first place that differs, unless both hold the same bits.
inline void expect_same_bits(std::span<const float> found, std::span<const float> expected,
                             std::string_view what = "result") {
  ASSERT_EQ(found.size(), expected.size()) << what;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (bits(found[i]) == bits(expected[i])) continue;
    ADD_FAILURE() << what << ": element " << i << " of " << found.size() << " is " << std::hexfloat
                  << found[i] << ", expected " << expected[i];
    return;
  }
}

}  // namespace padless::testing
