#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <string>
#include <utility>

#include "padless/core/error.h"

namespace padless {

/// Owns an open file.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  ~FileDescriptor() { reset(); }
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    if (this != &other) {
      reset();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

  /// Gives the descriptor up; the caller closes it.
  int release() { return std::exchange(fd_, -1); }
  void reset() {
    if (fd_ >= 0) ::close(release());
  }

 private:
  int fd_ = -1;
};

/// An IoError for a system call that failed just now: "PATH: cannot WHAT: reason".
inline IoError system_error(const std::filesystem::path& path, const char* what) {
  const int reason = errno;
  return IoError(message(path.string(), ": cannot ", what, ": ", std::strerror(reason)));
}

/// Reads up to `size` bytes, 0 at the end of the file; a signal does not end it.
inline std::size_t read_some(int fd, void* into, std::size_t size,
                             const std::filesystem::path& path) {
  for (;;) {
    const ::ssize_t got = ::read(fd, into, size);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) throw system_error(path, "read");
  }
}

}  // namespace padless
