#pragma once

namespace padless {

/// A function of each number by itself, as networks put them between linear layers.
enum class Activation {
  relu,       ///< max(0, x)
  gelu,       ///< x * Phi(x), Phi being the normal distribution's function (by erf)
  gelu_tanh,  ///< its old approximation by tanh ("gelu_new"): another function, off by up to 5e-4
  silu,       ///< x * sigmoid(x) ("swish")
  tanh,
  sigmoid,
};

}  // namespace padless
