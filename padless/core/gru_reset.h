#pragma once

namespace padless {

/// Where a GRU's reset gate r meets the recurrent weight U_n of the candidate n. Weights trained
/// in one convention mean nothing in the other.
enum class GruReset {
  after,  ///< n = tanh(x_n + r * (U_n h + c_n)): PyTorch, cuDNN, Keras' reset_after=True
  before  ///< n = tanh(x_n + U_n (r * h) + c_n): Cho et al. (2014), Keras' reset_after=False
};

}  // namespace padless
