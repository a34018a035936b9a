#include "padless/train/schedule.h"

#include <numbers>

#include "padless/core/fp.h"
#include "padless/core/math.h"

namespace padless {

const Names<ScheduleShape>& schedule_names() {
  static const Names<ScheduleShape> names = {{ScheduleShape::cosine, "cosine"},
                                             {ScheduleShape::linear, "linear"},
                                             {ScheduleShape::constant, "constant"}};
  return names;
}

double Schedule::at(double progress) const {
  const FpEnvironment environment;
  if (progress < warmup) return progress / warmup;
  const double rest = (progress - warmup) / (1 - warmup);
  if (shape == ScheduleShape::cosine) return 0.5 * (1 + math::cos(std::numbers::pi * rest));
  return shape == ScheduleShape::linear ? 1 - rest : 1;
}

}  // namespace padless
