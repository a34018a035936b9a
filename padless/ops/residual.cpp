#include "padless/ops/residual.h"

#include <algorithm>

#include "padless/ops/checks.h"

namespace padless {

void add_to(Runtime& runtime, const Pass& /*pass*/, MatrixView<const float> x,
            MatrixView<float> y) {
  require_matrix("add_to", "y", y, x.rows(), x.cols());
  constexpr std::size_t kRowsAnItem = 256;
  runtime.parallel_for((x.rows() + kRowsAnItem - 1) / kRowsAnItem, [&](std::size_t item) {
    const std::size_t end = std::min(x.rows(), (item + 1) * kRowsAnItem);
    for (std::size_t t = item * kRowsAnItem; t < end; ++t) {
      const float* from = x.row(t).data();
      float* to = y.row(t).data();
      // One rounding an element: any vector width gives the same bits.
      for (std::size_t c = 0; c < x.cols(); ++c) to[c] = to[c] + from[c];
    }
  });
}

}  // namespace padless
