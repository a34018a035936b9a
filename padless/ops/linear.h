#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>

#include "padless/batch/pass.h"
#include "padless/batch/segments.h"
#include "padless/core/export.h"
#include "padless/core/matrix.h"
#include "padless/core/parameter.h"
#include "padless/core/runtime.h"

namespace padless {

/// A weight W [N, K] in the layout that the linear kernel of one instruction set reads.
class PADLESS_API PackedWeights {
 public:
  /// What a row times the packed weight gives: `outputs` [N] (y = x W^T), or `inputs` [K]
  /// (d_x = d_y W).
  enum class Gives { outputs, inputs };

  /// w [N, K] read.
  PackedWeights(Runtime& runtime, MatrixView<const float> w, Gives gives);

  /// Numbers in a row that goes in, and in one that comes out.
  std::size_t row_in() const { return in_; }
  std::size_t row_out() const { return out_; }
  Gives gives() const { return gives_; }
  Isa isa() const { return isa_; }
  const float* data() const { return packed_.data(); }

 private:
  std::size_t in_, out_;
  Gives gives_;
  Isa isa_;
  Matrix<float> packed_;
};

/// Keeps a parameter's packed form until its version or the instruction set changes. Threads may
/// share it; copies of a layer share nothing.
class PADLESS_API PackedCache {
 public:
  PackedCache() = default;
  PackedCache(const PackedCache&) {}
  PackedCache(PackedCache&&) noexcept {}
  PackedCache& operator=(const PackedCache& other) {
    if (this != &other) forget();
    return *this;
  }
  PackedCache& operator=(PackedCache&&) noexcept {
    forget();
    return *this;
  }
  ~PackedCache() = default;

  /// The packed value of `weight`, made now if need be. The result stays valid while it is held.
  std::shared_ptr<const PackedWeights> get(Runtime& runtime, const Parameter& weight,
                                           PackedWeights::Gives gives) const;
  /// The same of these rows of `weight` alone. One cache serves one run of rows.
  std::shared_ptr<const PackedWeights> get(Runtime& runtime, const Parameter& weight,
                                           PackedWeights::Gives gives, Segments::Rows rows) const;

 private:
  struct Entry {
    std::shared_ptr<const PackedWeights> packed;
    std::uint64_t version = 0;
  };

  void forget();

  mutable std::mutex mutex_;
  mutable Entry entries_[2];  // by PackedWeights::Gives
};

/// y = x W^T + bias: y[t, n] = chain over k of fma(x[t, k], w[n, k], .), then + bias[n].
///
/// Shapes (T rows, K = w.row_in(), N = w.row_out()):
///   x     [T, K]       read
///   w     [N, K]       read; packed to give outputs
///   bias  [N] or none  read
///   y     [T, N]       written
///
/// Throws ShapeError when a shape differs from the above or `w` was packed to give something else
/// or for another instruction set. `y` must not overlap `x`.
PADLESS_API void linear_forward(Runtime& runtime, const Pass& pass, MatrixView<const float> x,
                                const PackedWeights& w, std::span<const float> bias,
                                MatrixView<float> y);

/// d_x = d_y W: d_x[t, k] = chain over n of fma(d_y[t, n], w[n, k], .).
///
/// Shapes:
///   d_y  [T, N]  read
///   w    [N, K]  read; packed to give inputs
///   d_x  [T, K]  written
///
/// Throws as linear_forward.
PADLESS_API void linear_backward_input(Runtime& runtime, const Pass& pass,
                                       MatrixView<const float> d_y, const PackedWeights& w,
                                       MatrixView<float> d_x);

/// The gradients of weight and bias, summed over the rows of pass.shards.
///
/// Shapes:
///   d_y     [T, N]       read
///   x       [T, K]       read
///   d_w     [N, K]       added to
///   d_bias  [N] or none  added to
///
/// Throws ShapeError when a shape differs from the above or the shards do not cut T rows.
PADLESS_API void linear_backward_weight(Runtime& runtime, const Pass& pass,
                                        MatrixView<const float> d_y, MatrixView<const float> x,
                                        MatrixView<float> d_w, std::span<float> d_bias);

}  // namespace padless
