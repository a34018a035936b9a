#pragma once

#include "padless/core/runtime.h"
#include "padless/study/finding.h"

namespace padless::study {

/// S5: of the constants that are added to PAD's logits, -1e9 is safe and -1e18 is not. Both, and
/// two others in use, are tried in float32, float16 and bfloat16.
Finding large_constants_differ(Runtime& runtime);

}  // namespace padless::study
