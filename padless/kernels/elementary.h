// The elementary functions of every instruction set by themselves, for the tests that judge them.
#pragma once

#include <cstddef>

#include "padless/core/isa.h"

namespace padless::kernels {

/// Each computes to[i] = f(x[i]) for n floats: kernels/simd.h's form, or the reference's.
struct Elementary {
  void (*exp)(const float* x, std::size_t n, float* to);
  void (*tanh)(const float* x, std::size_t n, float* to);
  void (*sigmoid)(const float* x, std::size_t n, float* to);
  void (*log)(const float* x, std::size_t n, float* to);
};

/// Those of an instruction set that this CPU supports.
Elementary elementary(Isa isa);

}  // namespace padless::kernels
