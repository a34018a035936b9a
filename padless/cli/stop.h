#pragma once

#include <array>
#include <csignal>

#include "padless/core/error.h"

namespace padless::cli {

/// Thrown when the user has asked to stop; the message says what is left and how to go on.
class Interrupted : public Error {
 public:
  using Error::Error;
};

/// While it lives, Ctrl-C, SIGTERM and the terminal's end (SIGHUP) ask to stop instead of ending
/// the program, so that a command can leave its files in order; a second one ends the program. What
/// was ignored before, as by nohup or behind a script's &, stays ignored. One at a time.
class StopRequest {
 public:
  /// Throws IoError where the system gives no pipe.
  StopRequest();
  ~StopRequest();
  StopRequest(const StopRequest&) = delete;
  StopRequest& operator=(const StopRequest&) = delete;

  bool asked() const;

  /// Waits until the descriptor can be read from; false when it is asked to stop before that.
  /// Without a StopRequest it waits for the descriptor alone.
  static bool wait_to_read(int descriptor);

 private:
  static constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};

  std::array<struct sigaction, kSignals.size()> before_{};
};

}  // namespace padless::cli
