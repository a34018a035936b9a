// The program: the process's streams, terminal and signals around run().
#include <sys/ioctl.h>
#include <unistd.h>

#include <csignal>
#include <iostream>
#include <string>
#include <vector>

#include "padless/cli/descriptor_input.h"
#include "padless/cli/run.h"

namespace {

std::size_t terminal_columns() {
  struct winsize size {};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 ||
                     ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
  return known && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  // A reader that goes away shall not end a training; a write that fails is noticed.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error of the write
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  padless::cli::DescriptorInput input(STDIN_FILENO, padless::cli::kStandardInput);
  return padless::cli::run(arguments, {.in = input.stream(),
                                       .out = std::cout,
                                       .err = std::cerr,
                                       .out_is_terminal = ::isatty(STDOUT_FILENO) == 1,
                                       .err_is_terminal = ::isatty(STDERR_FILENO) == 1,
                                       .columns = terminal_columns()});
}
