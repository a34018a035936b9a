#pragma once

#include <filesystem>
#include <optional>
#include <utility>

#include "padless/io/file_descriptor.h"

namespace padless {

/// A folder that one holder at a time works in, in whatever process. The lock lies on the folder
/// itself: nothing is left behind in it, and the system drops the lock when a process dies. Who
/// does not ask for it is not kept out.
class FolderLock {
 public:
  /// Nothing where another has it. Where the file system knows no such locks (NFS wants a file that
  /// is open for writing, which a folder cannot be), or the folder may not be read, everybody gets
  /// one. Throws IoError when the folder cannot be opened for another reason.
  static std::optional<FolderLock> take(const std::filesystem::path& folder);

 private:
  explicit FolderLock(FileDescriptor fd) : fd_(std::move(fd)) {}

  FileDescriptor fd_;
};

}  // namespace padless
