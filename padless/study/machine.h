#pragma once

#include <cstddef>
#include <string>

#include "padless/core/runtime.h"

namespace padless::study {

/// Where a run's numbers come from.
struct Machine {
  std::string version;   ///< of padless
  std::string date;      ///< of the beginning, in UTC: 2026-11-30
  std::string cpu;       ///< the processor's own name, or "unknown"
  std::string system;    ///< the distribution's name
  std::string compiler;  ///< that made padless
  std::string isa;       ///< of the kernels that ran
  std::size_t cores = 0;
  std::size_t threads = 0;  ///< used
};

/// Of the machine that this process runs on, and of its kernels and threads.
Machine this_machine(const Runtime& runtime);

}  // namespace padless::study
