#include "padless/ops/product.h"

#include "padless/ops/checks.h"
#include "padless/ops/row_items.h"

namespace padless {

void multiply_by(Runtime& runtime, const Pass& /*pass*/, MatrixView<const float> x,
                 MatrixView<float> y) {
  require_matrix("multiply_by", "y", y, x.rows(), x.cols());
  constexpr std::size_t kRowsAnItem = 256;
  for_row_items(runtime, x.rows(), kRowsAnItem, [&](std::size_t first, std::size_t end) {
    for (std::size_t t = first; t < end; ++t) {
      const float* factor = x.row(t).data();
      float* to = y.row(t).data();
      // One rounding an element: any vector width gives the same bits.
      for (std::size_t c = 0; c < x.cols(); ++c) to[c] = to[c] * factor[c];
    }
  });
}

}  // namespace padless
