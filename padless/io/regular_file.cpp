#include "padless/io/regular_file.h"

#include <fcntl.h>
#include <sys/stat.h>

namespace padless {
namespace {

const char* kind_of(::mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

void require_regular(const std::filesystem::path& path, ::mode_t mode) {
  if (S_ISREG(mode)) return;
  throw IoError(message(path.string(), ": is ", kind_of(mode), ", expected a regular file"));
}

}  // namespace

RegularFile open_regular_file(const std::filesystem::path& path) {
  // Looked at first, since a socket cannot be opened and a device may act when it is; and again,
  // since another may have come in its place: without O_NONBLOCK a pipe would wait for its writer.
  require_no_other_than_file(path);
  RegularFile file{.fd = FileDescriptor(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC))};
  if (!file.fd) throw system_error(path, "open");
  struct stat info {};
  if (::fstat(file.fd.get(), &info) != 0) throw system_error(path, "read");
  require_regular(path, info.st_mode);
  file.size = static_cast<std::size_t>(info.st_size);
  return file;
}

void require_no_other_than_file(const std::filesystem::path& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) == 0) require_regular(path, info.st_mode);
}

}  // namespace padless
