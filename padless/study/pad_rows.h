#pragma once

#include "padless/batch/segments.h"
#include "padless/core/matrix.h"
#include "padless/core/runtime.h"

namespace padless::study {

/// As many sequences as `segs` has, each as long as its longest.
Segments padded_to_longest(const Segments& segs);

/// rows [segs.total(), C] -> out [padded.total(), C] (written): each sequence's rows, then zeros.
/// Throws ShapeError when a shape differs, or a sequence is longer than its place.
void pad_rows(Runtime& runtime, MatrixView<const float> rows, const Segments& segs,
              const Segments& padded, MatrixView<float> out);
/// The way back: padded rows [padded.total(), C] -> out [segs.total(), C] (written), without pads.
void unpad_rows(Runtime& runtime, MatrixView<const float> rows, const Segments& segs,
                const Segments& padded, MatrixView<float> out);

}  // namespace padless::study
