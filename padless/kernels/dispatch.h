#pragma once

#include "padless/core/isa.h"
#include "padless/kernels/kernels.h"

namespace padless::kernels {

/// The kernels of an instruction set that this CPU supports (a Runtime has checked that).
const Table& table(Isa isa);

}  // namespace padless::kernels
