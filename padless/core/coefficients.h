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

// Phi(-a) = exp(-a^2 / 2) * p(t) / (a + 4), t = (a - 4) / (a + 4), 0 <= a; p has a worst relative
// error of 1.8e-8. Beyond the bound Phi is exactly 0 or 1: the next numbers would be subnormal.
inline constexpr float kNormalFar = 12.9f;
inline constexpr float kNormalCentre = 4;
inline constexpr float kNormal[] = {
    0x1.82b4bcp-1f,  -0x1.373e3cp-1f, 0x1.8c6d72p-2f,  -0x1.7dfe8cp-3f, 0x1.eee6a2p-5f,
    -0x1.ee42a4p-8f, -0x1.d25d6cp-9f, 0x1.9fded4p-10f, 0x1.1085dcp-12f, -0x1.7ef840p-14f};
// 1 / sqrt(2 pi), rounded once to float where it is used.
inline constexpr double kDensityAtZero = 0.39894228040143267794;

// gelu_tanh(x) = x * sigmoid(kGeluTanhLinear * x + kGeluTanhCubic * x^3): 2 sqrt(2 / pi), and
// 0.044715 times that. Rounded once to float where they are used.
inline constexpr double kGeluTanhLinear = 1.5957691216057307118;
inline constexpr double kGeluTanhCubic = 0.071354816272600248776;

}  // namespace padless::coefficients
