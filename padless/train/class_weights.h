#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "padless/core/export.h"

namespace padless {

/// [K] n / (K * n_k): what a text of class k weighs, so that all classes together weigh the same,
/// where n_k of the n labels are k. The weights of the n texts add up to n. Labels kIgnored do not
/// count.
///
/// Throws ValueError for another label outside [0, classes), or a class that no label has.
PADLESS_API std::vector<float> balanced_class_weights(std::span<const std::int32_t> labels,
                                                      std::size_t classes);

}  // namespace padless
