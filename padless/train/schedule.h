#pragma once

#include "padless/core/export.h"

namespace padless {

/// The learning rate over a run, as a share of its peak: a straight warm-up, then half a cosine
/// down to 0. Source of the cosine: Loshchilov and Hutter, "SGDR: stochastic gradient descent with
/// warm restarts" (ICLR 2017), equation 5 without restarts.
struct PADLESS_API WarmupCosine {
  double warmup = 0.05;  ///< share of the run, in [0, 1)

  /// `progress` is the share of the run that is done, in [0, 1]; the result is in [0, 1].
  double at(double progress) const;
};

}  // namespace padless
