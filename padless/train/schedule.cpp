#include "padless/train/schedule.h"

#include <numbers>

#include "padless/core/fp.h"
#include "padless/core/math.h"

namespace padless {

double WarmupCosine::at(double progress) const {
  const FpEnvironment environment;
  if (progress < warmup) return progress / warmup;
  const double rest = (progress - warmup) / (1 - warmup);
  return 0.5 * (1 + math::cos(std::numbers::pi * rest));
}

}  // namespace padless
