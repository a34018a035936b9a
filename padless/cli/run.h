#pragma once

#include <span>
#include <string>

#include "padless/cli/console.h"

namespace padless::cli {

/// Runs one command line, given without the program's name, and returns its exit code: 0 done,
/// 1 failed, 2 wrong use. Errors are told on console.err; nothing is thrown.
// NOLINTNEXTLINE(bugprone-exception-escape): all is caught, also while an error is told.
int run(std::span<const std::string> arguments, const Console& console) noexcept;

}  // namespace padless::cli
