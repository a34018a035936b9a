// Checks that several ops share.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "padless/batch/pass.h"
#include "padless/core/error.h"
#include "padless/core/matrix.h"

namespace padless {

/// Throws ShapeError, naming op and operand, unless `view` is [rows, cols].
template <class T>
void require_matrix(std::string_view op, std::string_view operand, MatrixView<T> view,
                    std::size_t rows, std::size_t cols) {
  require_shape(view.rows() == rows && view.cols() == cols, op, ": ", operand, " is [", view.rows(),
                ", ", view.cols(), "], expected [", rows, ", ", cols, "]");
}

/// Throws ShapeError, naming op and operand, unless `values` has `size` elements.
template <class T>
void require_vector(std::string_view op, std::string_view operand, std::span<T> values,
                    std::size_t size) {
  require_shape(values.size() == size, op, ": ", operand, " has ", values.size(),
                " elements, expected ", size);
}

/// A pass's shards, or one shard of all rows where it has none. Allocates nothing.
class PassShards {
 public:
  PassShards(const Shards* shards, std::size_t rows) : shards_(shards), whole_{0, rows} {}

  std::size_t count() const { return bounds().size() - 1; }
  std::span<const std::size_t> bounds() const {
    return shards_ != nullptr ? shards_->bounds() : std::span(whole_);
  }

 private:
  const Shards* shards_;
  std::size_t whole_[2];
};

/// The pass's shards of `rows` rows. Throws ShapeError when they cut another number of rows.
inline PassShards shards_of(std::string_view op, const Pass& pass, std::size_t rows) {
  if (pass.shards != nullptr) {
    require_shape(pass.shards->rows() == rows, op, ": the pass's shards cut ", pass.shards->rows(),
                  " rows, expected ", rows);
  }
  return {pass.shards, rows};
}

}  // namespace padless
