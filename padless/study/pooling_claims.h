// The claims about attention pooling over zero-padded rows, S6 and S7: by a worked example, and by
// the models of the real experiment.
#pragma once

#include "padless/core/runtime.h"
#include "padless/study/classification.h"
#include "padless/study/finding.h"

namespace padless::study {

/// Zero-padded RNN outputs score 0, so they do little harm.
Finding pads_score_zero(Runtime& runtime, const Classification& experiment);
/// Only relative weights matter, so re-normalising hardly matters.
Finding only_relative_weights_matter(Runtime& runtime, const Classification& experiment);

}  // namespace padless::study
