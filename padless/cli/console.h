#pragma once

#include <cstddef>
#include <iosfwd>

namespace padless::cli {

/// What messages call Console::in.
inline constexpr const char* kStandardInput = "standard input";

/// What a command reads from and writes to. Results go to `out`; errors and progress to `err`.
struct Console {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  std::size_t columns = 80;  ///< of the terminal
};

}  // namespace padless::cli
