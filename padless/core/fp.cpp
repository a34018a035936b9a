#include "padless/core/fp.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#elif !defined(__aarch64__)
#error "padless knows the floating-point control register of x86-64 and AArch64 only"
#endif

namespace padless {
namespace {

#if defined(__x86_64__)
// All exceptions masked, round to nearest even, no flush-to-zero, no denormals-are-zero.
constexpr unsigned long long kPlain = 0x1f80;
unsigned long long control() { return _mm_getcsr(); }
void set_control(unsigned long long value) { _mm_setcsr(static_cast<unsigned int>(value)); }
#else
constexpr unsigned long long kPlain = 0;
unsigned long long control() {
  unsigned long long value;
  asm volatile("mrs %0, fpcr" : "=r"(value));
  return value;
}
void set_control(unsigned long long value) { asm volatile("msr fpcr, %0" : : "r"(value)); }
#endif

}  // namespace

FpEnvironment::FpEnvironment() : before_(control()) { set_control(kPlain); }

FpEnvironment::~FpEnvironment() { set_control(before_); }

}  // namespace padless
