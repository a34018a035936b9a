#include "padless/kernels/elementary.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "padless/core/coefficients.h"
#include "padless/core/isa.h"
#include "padless/testing/bits.h"
#include "padless/testing/elementary.h"

namespace padless {
namespace {

/// A million floats spread over all bit patterns, and those at the edges of every case.
std::vector<float> many_floats() {
  std::vector<float> floats;
  for (std::uint64_t bits = 0; bits <= 0xffffffff; bits += 4099) {
    floats.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  }
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const float edge :
       {0.0f, 1.0f, coefficients::kExpLowest, coefficients::kExpHighest, coefficients::kTanhSmall,
        coefficients::kSqrtHalf, 2 * coefficients::kSqrtHalf, coefficients::kNormalFar,
        coefficients::kNormalCentre, 0x1p-149f, 0x1p-126f, 44.0f, std::numeric_limits<float>::max(),
        kInfinity, std::numeric_limits<float>::quiet_NaN()}) {
    for (const float signed_edge : {edge, -edge}) {
      floats.push_back(signed_edge);
      floats.push_back(std::nextafter(signed_edge, kInfinity));
      floats.push_back(std::nextafter(signed_edge, -kInfinity));
    }
  }
  return floats;
}

TEST(Elementary, HaveTheReferencesBitsOnEveryInstructionSet) {
  const std::vector<float> x = many_floats();
  const kernels::Elementary reference = testing::elementary(Isa::scalar);
  for (const Isa isa : supported_isas()) {
    SCOPED_TRACE(name(isa));
    const kernels::Elementary kernel = testing::elementary(isa);
    for (const auto function :
         {&kernels::Elementary::exp, &kernels::Elementary::tanh, &kernels::Elementary::sigmoid,
          &kernels::Elementary::log, &kernels::Elementary::normal_below, &kernels::Elementary::gelu,
          &kernels::Elementary::gelu_tanh}) {
      std::vector<float> expected(x.size()), found(x.size());
      (reference.*function)(x.data(), x.size(), expected.data());
      (kernel.*function)(x.data(), x.size(), found.data());
      testing::expect_same_bits(found, expected);
    }
  }
}

}  // namespace
}  // namespace padless
