#include "padless/cli/stop.h"

namespace padless::cli {
namespace {

volatile std::sig_atomic_t stop_is_asked = 0;

void ask_to_stop(int) { stop_is_asked = 1; }

}  // namespace

StopRequest::StopRequest() {
  stop_is_asked = 0;
  struct sigaction action {};
  action.sa_handler = ask_to_stop;
  // The second signal finds the default action.
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  ::sigaction(SIGINT, &action, &interrupt_);
  ::sigaction(SIGTERM, &action, &terminate_);
}

StopRequest::~StopRequest() {
  ::sigaction(SIGINT, &interrupt_, nullptr);
  ::sigaction(SIGTERM, &terminate_, nullptr);
}

bool StopRequest::asked() const { return stop_is_asked != 0; }

}  // namespace padless::cli
