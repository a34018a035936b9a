// Memory that shows what an op forgets to write and what it overruns.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <string_view>
#include <vector>

#include "padless/core/matrix.h"

namespace padless::testing {

/// rows x cols numbers that start as `start` (NaN: poison), between guard rows and, where there is
/// more than one column, guard columns. A single column has no gaps, so that it reads as a span.
class Guarded {
 public:
  explicit Guarded(std::size_t rows, std::size_t cols,
                   float start = std::numeric_limits<float>::quiet_NaN())
      : rows_(rows),
        cols_(cols),
        stride_(cols > 1 ? cols + kGuard : cols),
        cells_((rows + 2 * kGuard) * stride_, kMark) {
    fill(view(), start);
  }

  MatrixView<float> view() { return {cells_.data() + kGuard * stride_, rows_, cols_, stride_}; }
  MatrixView<const float> view() const {
    return {cells_.data() + kGuard * stride_, rows_, cols_, stride_};
  }

  /// The numbers without the guards, row after row.
  std::vector<float> values() const {
    std::vector<float> values;
    for (std::size_t r = 0; r < rows_; ++r) {
      const auto row = view().row(r);
      values.insert(values.end(), row.begin(), row.end());
    }
    return values;
  }

  /// Fails if anything was written outside.
  void expect_guards_whole(std::string_view what) const {
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      const std::size_t row = stride_ == 0 ? 0 : i / stride_;
      const std::size_t col = stride_ == 0 ? 0 : i % stride_;
      const bool inside = row >= kGuard && row < kGuard + rows_ && col < cols_;
      if (!inside && cells_[i] != kMark) {
        ADD_FAILURE() << what << ": written outside, at row "
                      << static_cast<std::ptrdiff_t>(row) - static_cast<std::ptrdiff_t>(kGuard)
                      << ", column " << col << " of [" << rows_ << ", " << cols_ << "]";
        return;
      }
    }
  }

 private:
  static constexpr std::size_t kGuard = 3;
  static constexpr float kMark = -12345.678f;

  std::size_t rows_, cols_, stride_;
  std::vector<float> cells_;
};

}  // namespace padless::testing
