// The entries of kernels/linear.cpp for other kernels of the same target. Included once a target.

// NOLINTBEGIN(llvm-header-guard): Highway's guard, which opens again for each target.
#if defined(PADLESS_KERNELS_LINEAR_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PADLESS_KERNELS_LINEAR_H_
#undef PADLESS_KERNELS_LINEAR_H_
#else
#define PADLESS_KERNELS_LINEAR_H_
#endif
// NOLINTEND(llvm-header-guard)

#include <cstddef>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace padless::kernels::HWY_NAMESPACE {

/// As the fields of kernels::Table say.
std::size_t panels(std::size_t n);
std::size_t packed_size(std::size_t n, std::size_t k);
void pack(const float* w, std::size_t n_stride, std::size_t k_stride, std::size_t n, std::size_t k,
          float* packed);
void linear(const float* x, std::size_t x_stride, std::size_t m, std::size_t k, const float* packed,
            std::size_t n, std::size_t panel_begin, std::size_t panel_end, const float* bias,
            float* y, std::size_t y_stride);

}  // namespace padless::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
