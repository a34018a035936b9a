// The one door to files that have to be files: not folders, pipes, sockets or devices, which would
// keep a reader waiting or never end.
#pragma once

#include <cstddef>
#include <filesystem>

#include "padless/io/file_descriptor.h"

namespace padless {

/// A regular file that is open.
struct RegularFile {
  FileDescriptor fd;     ///< open for reading
  std::size_t size = 0;  ///< bytes, when it was opened
};

/// Opens a regular file, a link to one too. Throws IoError, at once, when it cannot be opened and
/// when something else has that name; the message says what.
RegularFile open_regular_file(const std::filesystem::path& path);

/// Throws the same IoError for something else of that name; no file at all is well.
void require_no_other_than_file(const std::filesystem::path& path);

}  // namespace padless
