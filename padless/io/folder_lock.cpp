#include "padless/io/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>

namespace padless {

std::optional<FolderLock> FolderLock::take(const std::filesystem::path& folder) {
  FileDescriptor fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd && errno != EACCES) throw system_error(folder, "open");
  if (fd && ::flock(fd.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return std::nullopt;
  return FolderLock(std::move(fd));
}

}  // namespace padless
