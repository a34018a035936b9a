#pragma once

#include <csignal>

#include "padless/core/error.h"

namespace padless::cli {

/// Thrown when the user has asked to stop; the message says what is left and how to go on.
class Interrupted : public Error {
 public:
  using Error::Error;
};

/// While it lives, Ctrl-C and SIGTERM ask to stop instead of ending the program, so that a command
/// can leave its files in order; a second one ends the program. One at a time.
class StopRequest {
 public:
  StopRequest();
  ~StopRequest();
  StopRequest(const StopRequest&) = delete;
  StopRequest& operator=(const StopRequest&) = delete;

  bool asked() const;

 private:
  struct sigaction interrupt_ {};
  struct sigaction terminate_ {};
};

}  // namespace padless::cli
