#pragma once

#include "padless/core/export.h"
#include "padless/train/names.h"

namespace padless {

/// What the learning rate does once it is at its peak.
enum class ScheduleShape {
  cosine,    ///< falls to 0 along half a cosine
  linear,    ///< falls to 0 in a straight line
  constant,  ///< stays there
};

/// The shapes by their names in files and on the command line.
PADLESS_API const Names<ScheduleShape>& schedule_names();

/// The learning rate over a run, as a share of its peak: a straight warm-up, then the shape. Source
/// of the cosine: Loshchilov and Hutter, "SGDR: stochastic gradient descent with warm restarts"
/// (ICLR 2017), equation 5 without restarts.
struct PADLESS_API Schedule {
  ScheduleShape shape = ScheduleShape::cosine;
  double warmup = 0.05;  ///< share of the run, in [0, 1)

  /// `progress` is the share of the run that is done, in [0, 1]; the result is in [0, 1].
  double at(double progress) const;
};

}  // namespace padless
