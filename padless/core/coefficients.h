// The constants of every elementary function in float, shared by the reference and the kernels:
// they decide bits. Made by tools/fit_polynomials.py; worst errors over all 2^32 floats are
// measured by reference/math_test.cpp and stand in docs/numerics.md.
#pragma once

namespace padless::coefficients {

inline constexpr float kInfinity = __builtin_inff();

// exp(x) = 2^n * p(r), n = round(x / ln 2), r = x - n * ln 2; p has a worst error of 3.2e-9.
inline constexpr float kLog2E = 0x1.715476p+0f;
inline constexpr float kLn2High = 0x1.62e430p-1f;
inline constexpr float kLn2Low = -0x1.05c610p-29f;
// Adding and subtracting it rounds to a whole number, ties to even.
inline constexpr float kRound = 0x1.8p+23f;
// Below: exactly 0, so that a weight is never subnormal. Above: infinity.
inline constexpr float kExpLowest = -87.3f;
inline constexpr float kExpHighest = 0x1.62e42ep+6f;
inline constexpr float kExp[] = {0x1p+0f,        0x1p+0f,        0x1.fffffcp-2f, 0x1.55548cp-3f,
                                 0x1.555858p-5f, 0x1.123de0p-7f, 0x1.6ac74cp-10f};

// tanh(x) = x + x * s * p(s), s = x * x, below the bound; (1 - e) / (1 + e), e = exp(-2 |x|),
// above.
inline constexpr float kTanhSmall = 0.625f;
inline constexpr float kTanh[] = {-0x1.555554p-2f, 0x1.11107ap-3f,  -0x1.b9f188p-5f,
                                  0x1.63a550p-6f,  -0x1.0c5ed0p-7f, 0x1.1a2816p-9f};

// log(2^e * (1 + f)) = e * ln 2 + f - f^2 / 2 + f^3 * p(f), sqrt(1/2) <= 1 + f < sqrt(2).
inline constexpr float kSqrtHalf = 0x1.6a09e6p-1f;
inline constexpr float kLog[] = {0x1.555548p-2f,  -0x1.000070p-2f, 0x1.99a542p-3f,
                                 -0x1.552f04p-3f, 0x1.2302aep-3f,  -0x1.010840p-3f,
                                 0x1.f016a4p-4f,  -0x1.befb8ep-4f, 0x1.b241e0p-5f};

}  // namespace padless::coefficients
