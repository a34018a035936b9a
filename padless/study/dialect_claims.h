// The claims about how masks are written: S8 and S10.
#pragma once

#include "padless/core/runtime.h"
#include "padless/study/finding.h"

namespace padless::study {

/// S8: a mask is "1 = real" and "True = PAD", both in one text.
Finding one_means_real(Runtime& runtime);
/// S10: a [B, 1, 1, S] mask broadcasts over heads and queries.
Finding masks_broadcast();

}  // namespace padless::study
