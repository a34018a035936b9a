#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "padless/data/labelled_set.h"

namespace padless::study {

/// Where the real experiment's texts come from.
struct DataRequest {
  std::optional<std::filesystem::path> file = {};  ///< none: the machine's own package set
  /// Without a target, a file's column "log_size" is taken if there is one.
  LabelledColumns columns = {.text = "text", .label = "section", .split = "split"};
  std::uint64_t seed = 0;
  /// This share of the training texts is kept, for runs that have to be short; of made-up texts
  /// all are, since fewer teach a model nothing.
  double train_share = 1;
};

/// Labelled texts with splits, and what they are.
struct StudyData {
  LabelledSet set;
  std::string kind;         ///< "debian", "synthetic" or "file"
  std::string description;  ///< one sentence for the report
  std::string target;       ///< what the numbers are; empty where there are none
  /// What was done without being asked for, a sentence each.
  std::vector<std::string> notes = {};
  std::size_t texts = 0;  ///< how many were loaded; the experiments may free them
  std::string hash = {};  ///< the digest of what was loaded

  bool is_made_up() const { return kind == "synthetic"; }
};

/// Sixteen digits that differ when a text, its label, number or split does, or their order.
std::string digest(const LabelledSet& set);

/// Reads the file; or makes the package set (data/debian.h), or, where no package lists can be had,
/// a synthetic one, and says so in the description and the notes. A file without splits gets 75 %
/// train, 10 % dev, 15 % test. Throws as read_labelled_set for a file; ValueError when a split has
/// no text.
StudyData load_study_data(const DataRequest& request,
                          const std::function<void(std::string_view)>& progress);

}  // namespace padless::study
