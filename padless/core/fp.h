// The floating-point environment on which every bit of a result rests.
#pragma once

#include <cfloat>

#include "padless/core/export.h"

#ifdef __FAST_MATH__
#error "padless's results are defined to the bit: build without -ffast-math"
#endif
static_assert(FLT_EVAL_METHOD == 0, "padless needs float arithmetic in float precision (no x87)");

namespace padless {

/// While it lives, the calling thread rounds to nearest even and keeps denormals, whatever other
/// code in the process (a library built with -Ofast, say) has set; then the old state returns.
/// Threads inherit this state from their creator, so it is set per task, never once per thread.
class PADLESS_API FpEnvironment {
 public:
  FpEnvironment();
  FpEnvironment(const FpEnvironment&) = delete;
  FpEnvironment& operator=(const FpEnvironment&) = delete;
  ~FpEnvironment();

 private:
  unsigned long long before_;
};

}  // namespace padless
