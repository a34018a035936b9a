#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "padless/core/export.h"
#include "padless/data/package_texts.h"
#include "padless/data/split.h"

namespace padless {

/// One text of the labelled set that every Debian or Ubuntu machine has: the description of a
/// source package, labelled with the archive's section it is in.
struct DebianRow {
  std::string section;
  Split split;
  std::string source;
  double log_size;   ///< natural logarithm of the installed size in KiB
  std::string text;  ///< paragraphs and lists' items, one a line
};

/// Where build_debian_set keeps the lists, and whom it tells.
struct DebianOptions {
  /// Where the package lists are kept, for this and later runs; empty = debian_cache_folder().
  std::filesystem::path folder = {};
  /// Given a line of what is going on, now and then; may be empty.
  std::function<void(std::string_view)> progress = {};
};

/// $XDG_CACHE_HOME/padless/apt, else $HOME/.cache/padless/apt, else a user's own folder among the
/// temporary ones. build_debian_set refuses one in which another user may write: what stands in it
/// says which programs apt runs.
PADLESS_API std::filesystem::path debian_cache_folder();

/// Fetches the lists of the machine's releases and makes the set of them, in the order of the
/// sources' names: a pure function of the lists. About 75 % of the families (find_families) are
/// train, 10 % dev, 15 % test, so that texts alike never stand in two splits.
/// Lists in the folder that cannot be read, as a full disk or a lost connection leaves them, are
/// removed and fetched anew, once.
/// Throws IoError with the way out where no lists can be had.
PADLESS_API std::vector<DebianRow> build_debian_set(const DebianOptions& options);

/// The rows of texts chosen already, with their splits.
PADLESS_API std::vector<DebianRow> split_by_family(const std::vector<PackageText>& texts);

/// Writes a TSV with the columns section, split, source, log_size, text.
PADLESS_API void write_debian_set(std::ostream& out, const std::vector<DebianRow>& rows);

}  // namespace padless
