// What layer and root-mean-square normalisation check and cut alike.
#pragma once

#include <cmath>
#include <cstddef>
#include <string_view>

#include "padless/core/error.h"
#include "padless/core/matrix.h"

namespace padless {

/// Rows of one item: a few hundred kilobytes of a usual width.
inline constexpr std::size_t kNormRowsAnItem = 64;
/// Columns of one item of the weights' gradients: whole cache lines.
inline constexpr std::size_t kNormColumnsAnItem = 64;

/// The mean of no numbers is none.
inline void require_width(std::string_view op, MatrixView<const float> x) {
  require_shape(x.cols() > 0, op, ": x is [", x.rows(), ", 0], expected at least one column");
}

/// With an epsilon of 0 a row of equal numbers may be divided by 0.
inline void require_epsilon(std::string_view op, float epsilon) {
  require_value(std::isfinite(epsilon) && epsilon > 0, op, ": epsilon is ", epsilon,
                ", expected a finite number above 0");
}

}  // namespace padless
