#pragma once

#include <cstddef>

#include "padless/batch/pass.h"
#include "padless/batch/segments.h"
#include "padless/core/export.h"
#include "padless/core/gru_reset.h"
#include "padless/core/matrix.h"
#include "padless/core/parameter.h"
#include "padless/core/rng.h"
#include "padless/core/runtime.h"
#include "padless/ops/gru.h"
#include "padless/ops/linear.h"

namespace padless {

/// Two gated recurrent units over each sequence, one from its first row to its last, one from its
/// own last row to its first. Threads may share a const layer.
///
/// Both read the inputs by one product, so that one parameter holds both input weights: rows
/// [0, 3H) are the forward unit's, rows [3H, 6H) the reversed one's, each in the order r, z, n.
class PADLESS_API BiGru {
 public:
  /// What forward leaves for backward, in the runtime's arena; nothing without pass.training.
  struct Saved {
    MatrixView<float> gates;   ///< [T, 6H]: r, z, n of either unit
    MatrixView<float> hidden;  ///< [T, 2H]: the recurrent part of n; with GruReset::after alone
  };

  /// Rows of `in` numbers, `hidden` units each way. Every parameter is drawn uniformly within
  /// 1 / sqrt(hidden), as PyTorch does: small enough for the gates to start in their open range.
  BiGru(std::size_t in, std::size_t hidden, GruReset reset, Rng& rng);

  std::size_t in() const { return input_weight_.value.cols(); }
  /// H.
  std::size_t hidden() const { return units_[0].weight.value.cols(); }
  GruReset reset() const { return reset_; }

  /// x [T, in] -> out [T, 2H] (written): the forward unit's h, then the reversed one's.
  void forward(Runtime& runtime, const Pass& pass, MatrixView<const float> x, const Segments& segs,
               MatrixView<float> out, Saved& saved) const;
  /// d_out [T, 2H], x [T, in], out [T, 2H] as forward left it -> d_x [T, in] (written); adds to the
  /// gradient of every parameter.
  void backward(Runtime& runtime, const Pass& pass, MatrixView<const float> d_out,
                MatrixView<const float> x, const Segments& segs, MatrixView<const float> out,
                const Saved& saved, MatrixView<float> d_x);

  /// Calls visit(name, parameter) for input_weight [6H, in] and input_bias [6H], then, of either
  /// unit, recurrent_weight [3H, H] and recurrent_bias [3H].
  template <class Visit>
  void for_each_parameter(Visit&& visit) {
    visit_all(*this, visit);
  }
  template <class Visit>
  void for_each_parameter(Visit&& visit) const {
    visit_all(*this, visit);
  }

 private:
  /// The recurrent part of one unit.
  struct Recurrent {
    Parameter weight, bias;
    PackedCache packed;            // of the rows that are multiplied by h
    PackedCache packed_candidate;  // of those multiplied by r * h, with GruReset::before
  };
  /// Its weights, packed, for as long as this lives.
  struct Held;

  template <class Self, class Visit>
  static void visit_all(Self& self, Visit& visit) {
    visit("input_weight", self.input_weight_);
    visit("input_bias", self.input_bias_);
    visit("forward.recurrent_weight", self.units_[0].weight);
    visit("forward.recurrent_bias", self.units_[0].bias);
    visit("reversed.recurrent_weight", self.units_[1].weight);
    visit("reversed.recurrent_bias", self.units_[1].bias);
  }

  GruReset reset_;
  Parameter input_weight_, input_bias_;
  PackedCache packed_input_;
  Recurrent units_[2];  // forward, reversed
};

}  // namespace padless
