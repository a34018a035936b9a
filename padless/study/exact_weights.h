#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "padless/core/runtime.h"

namespace padless::study {

/// What the library does with a row of `real` logits: its own attention over these keys alone, and
/// 0 for each of `pads` keys that it never saw.
std::vector<double> exact_weights(Runtime& runtime, std::span<const double> logits,
                                  std::size_t pads);

}  // namespace padless::study
