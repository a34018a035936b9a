#include "padless/io/private_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "padless/io/atomic_file.h"
#include "padless/io/file_descriptor.h"

namespace padless {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& folder, const std::string& found) {
  throw IoError(message(folder.string(), ": ", found, ", expected a folder of user ", ::geteuid(),
                        " in which nobody else may write; the way out: remove it or take another "
                        "folder"));
}

}  // namespace

void make_private_folder(const fs::path& path) {
  // With a slash at its end a link would be followed.
  fs::path folder = fs::absolute(path).lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();
  make_folder(folder.parent_path());
  // Others may look: as root, apt reads the network as a user of its own, who has to pass.
  constexpr ::mode_t kOthersMayLook = 0755;
  if (::mkdir(folder.c_str(), kOthersMayLook) != 0 && errno != EEXIST) {
    throw system_error(folder, "make the folder");
  }
  const FileDescriptor fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  std::error_code none;
  if (!fd && fs::is_symlink(fs::symlink_status(folder, none))) refuse(folder, "is a symbolic link");
  struct stat info {};
  if (!fd || ::fstat(fd.get(), &info) != 0) throw system_error(folder, "open the folder");
  if (info.st_uid != ::geteuid()) refuse(folder, message("belongs to user ", info.st_uid));
  if ((info.st_mode & (S_IWGRP | S_IWOTH)) != 0) refuse(folder, "may be written in by others");
}

}  // namespace padless
