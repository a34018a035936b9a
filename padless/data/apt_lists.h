#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "padless/core/error.h"
#include "padless/data/package_list.h"

namespace padless {

/// A package list on disk, packed as apt keeps it.
struct AptList {
  enum class Kind { packages, translations };
  Kind kind;
  std::filesystem::path file;
};

/// A list in the folder cannot be read: remove() and update() may mend that.
class DamagedLists : public IoError {
 public:
  using IoError::IoError;
};

/// The package lists of the machine's own Debian or Ubuntu releases, kept in a private folder: the
/// machine's lists stay untouched, no rights are needed, and what they often lack, the long
/// English descriptions, is there. Throws IoError with the way out when apt is missing, its
/// programs fail, or no lists can be had; DamagedLists where lists are the reason.
class AptLists {
 public:
  /// Makes the folder, or takes it as make_private_folder does: apt's settings are written into it,
  /// and they say what apt runs.
  explicit AptLists(const std::filesystem::path& folder);

  /// Fetches what is not there or not new; `progress` is given apt's lines as they come. Lists from
  /// an earlier time do when there is no network now.
  void update(const std::function<void(std::string_view)>& progress) const;

  /// Removes all lists, fit or not.
  void remove() const;

  /// The lists of the releases themselves (not of their updates, which come and go), of what is
  /// free software (main, universe), of the machine's architecture; in a fixed order.
  std::vector<AptList> find() const;

  /// Every stanza of a list, in order.
  static void read(const AptList& list, const std::function<void(const Stanza&)>& take);

 private:
  void make_folders() const;

  std::filesystem::path folder_;
  std::filesystem::path config_;
  mutable std::string trouble_;  // what the last update said on standard error
};

}  // namespace padless
