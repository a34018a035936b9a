// log.jsonl: what a run says of itself, for machines.
#pragma once

#include <cstddef>
#include <filesystem>

#include "padless/io/json.h"
#include "padless/train/text_preparation.h"
#include "padless/train/trainer.h"

namespace padless {

/// A line of JSON after another.
class RunLog {
 public:
  /// Keeps of an earlier process's log what its checkpoint, of `epochs` epochs, knows of. Throws
  /// IoError.
  RunLog(std::filesystem::path path, std::size_t epochs);

  /// Whether nothing was there to be kept.
  bool is_new() const { return is_new_; }
  /// Throws IoError.
  void add(const Json& line);

 private:
  std::filesystem::path path_;
  bool is_new_ = true;
};

/// Adds what was chosen from a few, with what each choice alone decides.
void write_choices(const TrainOptions& options, Json& to);

/// The first line, of the data and the choices; that of an epoch that has just ended, with the
/// seconds and words it took; and the last.
Json start_line(const PreparedTraining& prepared, const Trainer& trainer,
                const TextTraining& training);
Json epoch_line(const Trainer& trainer, const PreparedTraining& prepared, double seconds,
                std::size_t words);
Json end_line(const Trainer& trainer, double seconds);

}  // namespace padless
