#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "padless/batch/pass.h"
#include "padless/core/activation.h"
#include "padless/core/export.h"
#include "padless/core/matrix.h"
#include "padless/core/parameter.h"
#include "padless/core/rng.h"
#include "padless/core/runtime.h"
#include "padless/layers/linear.h"

namespace padless {

/// The numbers that make a feed-forward layer.
struct PADLESS_API FeedForwardConfig {
  std::size_t width = 0;   ///< C: of the rows that go in and come out
  std::size_t hidden = 0;  ///< F
  Activation activation = Activation::gelu;
  bool gated = false;  ///< GeGLU, SwiGLU: the activated half is multiplied by another projection
  float dropout = 0;   ///< of the hidden numbers, in training

  /// Throws ValueError, naming the field, for sizes of 0 and a dropout outside [0, kMostDropout].
  void check() const;
  /// How many numbers are learnt.
  double parameters() const;
};

/// Two linear layers and an activation between them, row by row: W_o f(W_i x), or, gated,
/// W_o (f(W_g x) * W_i x). Sources: Vaswani et al., "Attention is all you need" (NeurIPS 2017),
/// section 3.3; Shazeer, "GLU variants improve Transformer" (2020), for the gated forms.
class PADLESS_API FeedForward {
 public:
  /// What forward leaves for backward, in the runtime's arena.
  struct Saved {
    MatrixView<float> input;   ///< [T, F]: W_i x
    MatrixView<float> gate;    ///< [T, F]: W_g x, where gated
    MatrixView<float> hidden;  ///< [T, F]: what W_o reads
  };

  /// Throws as FeedForwardConfig::check.
  FeedForward(const FeedForwardConfig& config, Rng& rng);

  const FeedForwardConfig& config() const { return config_; }

  /// x [T, C] -> out [T, C] (written). `op` is the number of its draws.
  void forward(Runtime& runtime, const Pass& pass, std::uint32_t op, MatrixView<const float> x,
               MatrixView<float> out, Saved& saved) const;
  /// d_out [T, C], x [T, C] -> d_x [T, C] (written), or not where d_x has no columns; adds to the
  /// gradient of every parameter.
  void backward(Runtime& runtime, const Pass& pass, std::uint32_t op, MatrixView<const float> d_out,
                MatrixView<const float> x, const Saved& saved, MatrixView<float> d_x);

  /// Calls visit(name, parameter) for weight and bias of input, gate (where gated) and output.
  template <class Visit>
  void for_each_parameter(Visit&& visit) {
    input_.for_each_parameter(within("input", visit));
    if (gate_) gate_->for_each_parameter(within("gate", visit));
    output_.for_each_parameter(within("output", visit));
  }

 private:
  FeedForwardConfig config_;
  Linear input_;
  std::optional<Linear> gate_;
  Linear output_;
};

}  // namespace padless
