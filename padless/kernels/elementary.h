// The elementary functions of every instruction set by themselves, for the tests that judge them.
#pragma once

#include <cstddef>

#include "padless/core/isa.h"

namespace padless::kernels {

/// Each computes to[i] = f(x[i]) for n floats, in the form of kernels/simd.h and activation.h.
struct Elementary {
  void (*exp)(const float* x, std::size_t n, float* to) = nullptr;
  void (*tanh)(const float* x, std::size_t n, float* to) = nullptr;
  void (*sigmoid)(const float* x, std::size_t n, float* to) = nullptr;
  void (*log)(const float* x, std::size_t n, float* to) = nullptr;
  void (*normal_below)(const float* x, std::size_t n, float* to) = nullptr;
  void (*gelu)(const float* x, std::size_t n, float* to) = nullptr;
  void (*gelu_tanh)(const float* x, std::size_t n, float* to) = nullptr;
};

/// Those of an instruction set that this CPU supports; none for scalar, which is the reference.
Elementary elementary(Isa isa);

}  // namespace padless::kernels
