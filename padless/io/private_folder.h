#pragma once

#include <filesystem>

namespace padless {

/// Makes the folder, and those it lies in, where they are not there. For what must be nobody
/// else's doing, such as settings that a program runs by: throws IoError, with the way out, for a
/// folder that another user owns, that others may write in, or that is a symbolic link, since in
/// folders that all may write in (/tmp) another may have made it first.
void make_private_folder(const std::filesystem::path& path);

}  // namespace padless
