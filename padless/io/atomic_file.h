#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>

#include "padless/core/export.h"

namespace padless {

/// A file that appears whole or not at all. It is written under a temporary name beside the target;
/// commit() puts it in the target's place, and without commit() it is removed and the target stays
/// as it was. A symbolic link is followed. What is not a regular file (a pipe, /dev/stdout) is
/// written directly, since nothing can be renamed onto it.
///
/// Throws IoError with the path and the system's reason, from the constructor, from any write to
/// stream() (a full disk shows there) and from commit().
class PADLESS_API AtomicFile {
 public:
  explicit AtomicFile(const std::filesystem::path& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  std::ostream& stream();

  /// Writes what is left, has the disk keep it, renames, and has the disk keep the name. Once.
  void commit();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Writes the whole file at once, as AtomicFile does.
PADLESS_API void write_file(const std::filesystem::path& path, std::string_view bytes);

/// Adds bytes to the end of a file, which is made if need be, and has the disk keep them. A process
/// that is killed meanwhile may leave a part of them. Throws IoError.
PADLESS_API void append_to_file(const std::filesystem::path& path, std::string_view bytes);

/// Throws now the IoError that AtomicFile would throw for that path after a long computation.
PADLESS_API void require_writable(const std::filesystem::path& path);

/// Removes the temporary files that AtomicFile left beside `path` in processes that were killed.
/// Those that are being written stay, by whatever process, on whatever machine that shares the
/// folder's locks: an AtomicFile holds a lock on its temporary file. Where a file system has no
/// locks all stay. Throws IoError.
PADLESS_API void remove_temporaries_of(const std::filesystem::path& path);

/// Makes the folder, and those it lies in, where they are not there. Throws IoError.
PADLESS_API void make_folder(const std::filesystem::path& path);

/// All bytes of a regular file. Throws IoError when it cannot be read or is a folder, a pipe or a
/// device; FormatError, before anything is read, when it is longer than max_bytes.
PADLESS_API std::string read_file(const std::filesystem::path& path, std::size_t max_bytes);

}  // namespace padless
