// Instruction sets: which there are, which this CPU has, which one is asked for.
#pragma once

#include <string_view>
#include <vector>

#include "padless/core/export.h"

namespace padless {

/// The sets of kernels that padless is compiled for, slowest first.
enum class Isa { scalar, avx2, avx512 };

/// The name as PADLESS_ISA spells it: "scalar", "avx2", "avx512".
PADLESS_API std::string_view name(Isa isa);

/// Those that this CPU and its operating system can run, slowest first; never empty.
PADLESS_API const std::vector<Isa>& supported_isas();

/// The set called `name`. Throws ValueError, listing the known ones, when there is none of that
/// name or this CPU lacks it.
PADLESS_API Isa isa_from_name(std::string_view name);

/// The set named in the environment variable PADLESS_ISA, or the fastest supported where it is
/// unset or empty. Throws as isa_from_name.
PADLESS_API Isa default_isa();

}  // namespace padless
