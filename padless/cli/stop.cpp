#include "padless/cli/stop.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>

#include "padless/io/file_descriptor.h"

namespace padless::cli {
namespace {

volatile std::sig_atomic_t stop_is_asked = 0;

// A pipe that can be read from as soon as a stop is asked for. A flag alone is not enough to wait
// with: a signal between a look at it and the wait would be noticed when the wait is over.
volatile std::sig_atomic_t wake_read = -1;
volatile std::sig_atomic_t wake_write = -1;

void ask_to_stop(int) {
  const int before = errno;  // of what the signal came between
  stop_is_asked = 1;
  (void)!::write(wake_write, "", 1);
  errno = before;
}

}  // namespace

StopRequest::StopRequest() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) throw system_error("a pipe", "make");
  wake_read = ends[0];
  wake_write = ends[1];
  stop_is_asked = 0;
  struct sigaction action {};
  action.sa_handler = ask_to_stop;
  // The second signal finds the default action.
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], nullptr, &before_[i]);
    if (before_[i].sa_handler != SIG_IGN) ::sigaction(kSignals[i], &action, nullptr);
  }
}

StopRequest::~StopRequest() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], &before_[i], nullptr);
  }
  ::close(wake_read);
  ::close(wake_write);
  wake_read = -1;
  wake_write = -1;
}

bool StopRequest::asked() const { return stop_is_asked != 0; }

bool StopRequest::wait_to_read(int descriptor) {
  // Poll leaves out a descriptor below 0.
  std::array<struct pollfd, 2> both = {{{descriptor, POLLIN, 0}, {wake_read, POLLIN, 0}}};
  while (::poll(both.data(), both.size(), -1) < 0 && errno == EINTR) {
  }
  return both[1].revents == 0;
}

}  // namespace padless::cli
