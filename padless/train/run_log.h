// log.jsonl: what a run says of itself, for machines.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>

#include "padless/io/json.h"
#include "padless/train/text_preparation.h"
#include "padless/train/trainer.h"

namespace padless {

/// A line of JSON after another.
class RunLog {
 public:
  /// Keeps of an earlier process's log what its checkpoint, at `position`, knows of. Throws
  /// IoError.
  RunLog(std::filesystem::path path, const Trainer::Position& position);

  /// Whether nothing was there to be kept.
  bool is_new() const { return is_new_; }
  /// Whether the last line, of a finished run, was kept.
  bool has_end() const { return has_end_; }
  /// Throws IoError.
  void add(const Json& line);

 private:
  std::filesystem::path path_;
  bool is_new_ = true;
  bool has_end_ = false;
};

/// Adds what was chosen from a few, with what each choice alone decides.
void write_choices(const TrainOptions& options, Json& to);

/// The first line, of the data and the choices; that of an epoch that has just ended, with the
/// seconds and words it took; and the last, with the run's seconds where they are known.
Json start_line(const PreparedTraining& prepared, const Trainer& trainer,
                const TextTraining& training);
Json epoch_line(const Trainer& trainer, const PreparedTraining& prepared, double seconds,
                std::size_t words);
Json end_line(const Trainer& trainer, std::optional<double> seconds);

}  // namespace padless
