#pragma once

#include "padless/kernels/kernels.h"

namespace padless::kernels {

/// The table whose every entry is the reference in float. Other tables start as a copy of it.
Table scalar_table();

}  // namespace padless::kernels
