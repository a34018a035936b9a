#pragma once

#include <chrono>
#include <filesystem>
#include <string>

#include "padless/cli/console.h"
#include "padless/cli/training_log.h"
#include "padless/train/text_training.h"

namespace padless::cli {

/// Shows on console.err how a training goes: a line at its start and one an epoch, and on a
/// terminal a bar with words a second and the time left.
class TrainingDisplay {
 public:
  /// `log` is the training's log.jsonl, which has what is to be said of an epoch.
  TrainingDisplay(const Console& console, std::filesystem::path log)
      : console_(console), log_(std::move(log)) {}

  void show(const TrainingProgress& progress);
  /// Takes the bar away, before something else is said.
  void clear();

 private:
  void draw_bar(const TrainingProgress& progress);

  const Console& console_;
  std::filesystem::path log_;
  bool has_begun_ = false;
  bool has_bar_ = false;
  std::chrono::steady_clock::time_point drawn_{};
};

/// "accuracy 0.912, macro-F1 0.874", or the like for numbers; empty without a validation.
std::string validation_words(const TrainingLog::Epoch& epoch);

/// What a finished training came to, a line each.
std::string summary_of(const std::filesystem::path& folder, const TrainingLog& log);

}  // namespace padless::cli
