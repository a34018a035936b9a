// How a row of outputs is cut into panels of one to three vectors. Included once a target.

// NOLINTBEGIN(llvm-header-guard): Highway's guard, which opens again for each target.
#if defined(PADLESS_KERNELS_PANELS_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PADLESS_KERNELS_PANELS_H_
#undef PADLESS_KERNELS_PANELS_H_
#else
#define PADLESS_KERNELS_PANELS_H_
#endif
// NOLINTEND(llvm-header-guard)

#include "padless/kernels/simd.h"

HWY_BEFORE_NAMESPACE();
namespace padless::kernels::HWY_NAMESPACE {

/// Rows that are computed at once: as many as leave registers for a panel's three vectors.
inline constexpr std::size_t kRows = kLanes == 16 ? 8 : 4;

/// Three vectors a panel: with 8 rows (AVX-512) or 4 (AVX2) the accumulators just fit the
/// registers. Where one vector would be left over, the last two panels have two.
struct Panels {
  std::size_t vectors;

  explicit HWY_INLINE Panels(std::size_t columns) : vectors((columns + kLanes - 1) / kLanes) {}

  HWY_INLINE std::size_t count() const { return (vectors + 2) / 3; }
  /// The first vector of panel p; count() gives the end.
  HWY_INLINE std::size_t begin(std::size_t p) const {
    if (p >= count()) return vectors;
    return vectors % 3 == 1 && p > 0 && p + 1 == count() ? vectors - 2 : 3 * p;
  }
  HWY_INLINE std::size_t width(std::size_t p) const { return begin(p + 1) - begin(p); }
};

}  // namespace padless::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
