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

/// Calls ByPanel::run<kVectors>(arguments...) for a panel of that width, 1 to 3.
template <class ByPanel, class... Arguments>
HWY_INLINE void with_width(std::size_t width, Arguments... arguments) {
  switch (width) {
    case 1:
      return ByPanel::template run<1>(arguments...);
    case 2:
      return ByPanel::template run<2>(arguments...);
    default:
      return ByPanel::template run<3>(arguments...);
  }
}

/// Calls ByRows::run<kCount>(arguments...) for a tile of that height, 1 to kRows.
template <class ByRows, class... Arguments>
HWY_INLINE void with_rows(std::size_t rows, Arguments... arguments) {
  switch (rows) {
#define PADLESS_ROWS(count) \
  case count:               \
    return ByRows::template run < (count) <= kRows ? (count) : kRows > (arguments...);
    PADLESS_ROWS(1)
    PADLESS_ROWS(2)
    PADLESS_ROWS(3)
    PADLESS_ROWS(4)
    PADLESS_ROWS(5)
    PADLESS_ROWS(6)
    PADLESS_ROWS(7)
    PADLESS_ROWS(8)
#undef PADLESS_ROWS
    default:
      return;
  }
}

}  // namespace padless::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
