#pragma once

#include <span>

#include "padless/core/export.h"
#include "padless/core/matrix.h"
#include "padless/core/parameter.h"
#include "padless/core/runtime.h"

namespace padless {

/// The numbers of one step of AdamW.
struct AdamWStep {
  double learning_rate = 0;
  double beta1 = 0.9, beta2 = 0.999;  ///< how long the two moments remember
  double epsilon = 1e-8;              ///< added to the root of the second moment
  double decay = 0;                   ///< share of a value that it loses, times the learning rate
  /// beta1 and beta2 to the power of this step's number, counted from 1: running products, so that
  /// no library's pow decides a bit.
  double beta1_power = 0.9, beta2_power = 0.999;
  double gradient_scale = 1;  ///< of clipping
};

/// Adam with decoupled weight decay, elementwise: moves each parameter's value against its
/// gradient, updates the moments, sets the gradient to 0 and raises the parameter's version.
/// Source: Loshchilov and Hutter, "Decoupled weight decay regularization" (ICLR 2019), algorithm 2.
///
/// `first` and `second` hold, for each parameter, the running means of its gradient and of the
/// gradient's square, zeros before the first step.
///
/// Throws ShapeError unless gradient, first and second moment have the shape of the value.
PADLESS_API void adamw_update(Runtime& runtime, const AdamWStep& step,
                              std::span<Parameter* const> parameters,
                              std::span<Matrix<float>> first, std::span<Matrix<float>> second);

/// The root of the sum of squares of all gradients, in double: the same bits for any number of
/// threads. Not finite exactly if a gradient is not.
PADLESS_API double gradient_norm(Runtime& runtime, std::span<Parameter* const> parameters);

}  // namespace padless
