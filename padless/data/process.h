#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace padless {

/// How a program ended.
struct ProcessEnd {
  int exit_code;       ///< 128 + the signal when one ended it
  std::string errors;  ///< the end of what it wrote to standard error
  bool ok() const { return exit_code == 0; }
};

/// Runs a program (found on PATH when it has no slash) without a shell, in the C.UTF-8 locale,
/// without standard input, and hands over what it writes to standard output piece by piece. When
/// `take` throws, the program is ended first; and it is ended (SIGTERM) when this process, or the
/// thread that waits here, ends by whatever cause.
/// Throws IoError when it cannot be started.
ProcessEnd run_process(std::span<const std::string> arguments,
                       const std::function<void(std::string_view)>& take);

}  // namespace padless
