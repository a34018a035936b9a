#pragma once

#include <cstddef>
#include <cstdint>

#include "padless/batch/pass.h"
#include "padless/core/export.h"
#include "padless/core/matrix.h"
#include "padless/core/runtime.h"
#include "padless/layers/norm.h"

namespace padless {

/// Where a residual sublayer has its norm.
enum class NormPlace {
  pre,   ///< out = x + dropout(inner(norm(x)))
  post,  ///< out = norm(x + dropout(inner(x)))
};

/// What surrounds an attention or a feed-forward in a Transformer's block: the sum with what went
/// in, the dropout and the norm. Sources: Vaswani et al., "Attention is all you need" (NeurIPS
/// 2017), section 3.1 (post); Xiong et al., "On layer normalization in the Transformer
/// architecture" (ICML 2020; pre).
class PADLESS_API Sublayer {
 public:
  /// What forward leaves for backward, in the runtime's arena.
  struct Saved {
    MatrixView<float> rows;  ///< [T, C]: what inner read (pre), or what the norm read (post)
    Norm::Saved norm;
  };

  Sublayer(NormKind kind, NormPlace place, std::size_t width, float epsilon, float dropout)
      : norm_(kind, width, epsilon), place_(place), dropout_(dropout) {}

  /// x [T, C] -> out [T, C] (written). `inner(rows, y)` reads rows [T, C] and writes y [T, C]; `op`
  /// is the dropout's number.
  template <class Inner>
  void forward(Runtime& runtime, const Pass& pass, std::uint32_t op, MatrixView<const float> x,
               MatrixView<float> out, Saved& saved, Inner&& inner) const {
    saved.rows = runtime.arena().matrix(x.rows(), x.cols());
    if (place_ == NormPlace::pre) {
      norm_.forward(runtime, pass, x, saved.rows, saved.norm);
      inner(MatrixView<const float>(saved.rows), out);
      join(runtime, pass, op, x, out);
    } else {
      inner(x, saved.rows);
      join(runtime, pass, op, x, saved.rows);
      norm_.forward(runtime, pass, saved.rows, out, saved.norm);
    }
  }

  /// d_out [T, C], x [T, C] -> d_x [T, C] (written), or not where d_x has no columns; adds to the
  /// gradient of every parameter. `inner(d_y, rows, d_rows)` reads d_y and the rows that inner
  /// read, and writes d_rows, or not where that has no columns.
  template <class Inner>
  void backward(Runtime& runtime, const Pass& pass, std::uint32_t op, MatrixView<const float> d_out,
                MatrixView<const float> x, const Saved& saved, MatrixView<float> d_x,
                Inner&& inner) {
    const Arena::Scope scope(runtime.arena());
    const bool wanted = d_x.cols() > 0;
    const MatrixView<float> d_y = runtime.arena().matrix(x.rows(), x.cols());
    if (place_ == NormPlace::pre) {
      const MatrixView<float> d_rows = wanted ? d_x : runtime.arena().matrix(x.rows(), x.cols());
      drop(runtime, pass, op, d_out, d_y);
      inner(MatrixView<const float>(d_y), MatrixView<const float>(saved.rows), d_rows);
      norm_.backward(runtime, pass, d_rows, x, saved.norm, d_rows);
      if (wanted) add(runtime, pass, d_out, d_x);
    } else {
      const MatrixView<float> d_sum = runtime.arena().matrix(x.rows(), x.cols());
      norm_.backward(runtime, pass, d_out, saved.rows, saved.norm, d_sum);
      drop(runtime, pass, op, d_sum, d_y);
      inner(MatrixView<const float>(d_y), x, d_x);
      if (wanted) add(runtime, pass, d_sum, d_x);
    }
  }

  /// Calls visit(name, parameter) for the norm's.
  template <class Visit>
  void for_each_parameter(Visit&& visit) {
    norm_.for_each_parameter(visit);
  }

 private:
  // y = dropout(y) + x.
  void join(Runtime& runtime, const Pass& pass, std::uint32_t op, MatrixView<const float> x,
            MatrixView<float> y) const;
  void drop(Runtime& runtime, const Pass& pass, std::uint32_t op, MatrixView<const float> d_out,
            MatrixView<float> d_y) const;
  static void add(Runtime& runtime, const Pass& pass, MatrixView<const float> x,
                  MatrixView<float> y);

  Norm norm_;
  NormPlace place_;
  float dropout_;
};

}  // namespace padless
