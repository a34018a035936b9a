// The claims about softmax over a row with pads: S1 to S4.
#pragma once

#include "padless/core/runtime.h"
#include "padless/study/finding.h"

namespace padless::study {

/// Zero logits of pads water the weights down, to the numbers that are told.
Finding zero_pads_water_down(Runtime& runtime);
/// Multiplying by the mask and re-normalising gives the numbers that are told.
Finding multiplying_gives_the_weights(Runtime& runtime);
/// Multiplying by the mask and re-normalising is therefore a fix.
Finding multiplying_is_a_fix(Runtime& runtime);
/// -10000 added to PAD's logits makes PAD vanish.
Finding minus_10000_makes_pads_vanish(Runtime& runtime);

}  // namespace padless::study
