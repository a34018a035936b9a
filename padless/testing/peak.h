// The most floating-point operations a second that this core's fused multiply-adds can do.
#pragma once

#include <algorithm>
#include <cstddef>
#include <ctime>

#include "padless/core/isa.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace padless::testing {

#if defined(__x86_64__)
// NOLINTBEGIN(bugprone-macro-parentheses): types and names of functions take none.
// Enough independent chains to hide the latency of a multiply-add on every port there is. The
// empty asm keeps them in registers, and keeps the compiler from seeing through the loop.
#define PADLESS_PEAK(name, isa, vector, zero, fma, chains)            \
  __attribute__((target(isa))) inline void name(std::size_t rounds) { \
    vector acc[chains];                                               \
    for (vector & chain : acc) chain = zero();                        \
    const vector factor = zero();                                     \
    for (std::size_t r = 0; r < rounds; ++r) {                        \
      _Pragma("GCC unroll 24") for (vector & chain : acc) {           \
        chain = fma(chain, factor, factor);                           \
        asm volatile("" : "+v"(chain));                               \
      }                                                               \
    }                                                                 \
  }
PADLESS_PEAK(multiply_add_avx2, "avx2,fma", __m256, _mm256_setzero_ps, _mm256_fmadd_ps, 12)
PADLESS_PEAK(multiply_add_avx512, "avx512f", __m512, _mm512_setzero_ps, _mm512_fmadd_ps, 24)
#undef PADLESS_PEAK
// NOLINTEND(bugprone-macro-parentheses)
#endif

/// The processor's time of this thread, as benchmarks count theirs: other programs do not.
inline double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// The most floating-point operations a second that one thread can do with an instruction set's
/// multiply-adds, the best of some runs; 0 where it is not known.
inline double measure_peak(Isa isa) {
  double best = 0;
#if defined(__x86_64__)
  if (isa == Isa::scalar) return 0;
  constexpr std::size_t kRounds = 200000;
  const bool wide = isa == Isa::avx512;
  const double operations = 2.0 * kRounds * (wide ? 24 * 16 : 12 * 8);
  for (int run = 0; run < 50; ++run) {
    const double start = processor_seconds();
    wide ? multiply_add_avx512(kRounds) : multiply_add_avx2(kRounds);
    best = std::max(best, operations / (processor_seconds() - start));
  }
#else
  static_cast<void>(isa);
#endif
  return best;
}

/// Of the instruction set that a Runtime takes by default, measured once.
inline double peak() {
  static const double measured = measure_peak(default_isa());
  return measured;
}

}  // namespace padless::testing
