#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>

#include "padless/core/export.h"
#include "padless/core/runtime.h"
#include "padless/data/labelled_set.h"
#include "padless/train/text_preparation.h"
#include "padless/train/trainer.h"

namespace padless {

/// How far a training is.
struct TrainingProgress {
  std::size_t epoch = 0, epochs = 0;            ///< the epoch under way, from 1
  std::size_t words_done = 0;                   ///< since this process began
  std::size_t words_left = 0;                   ///< to the end of the last epoch
  double seconds = 0;                           ///< since this process began
  double loss = 0;                              ///< this epoch's mean so far
  const Trainer::EpochResult* ended = nullptr;  ///< when an epoch has just ended
};

/// Where a training is kept, and what its caller sees and says of it. None of this decides a bit.
struct TrainingRun {
  std::filesystem::path folder;
  bool resume = false;                 ///< go on from the folder's checkpoint, if it has one
  std::size_t checkpoint_steps = 200;  ///< batches from one checkpoint to the next, at most
  /// Told after every batch.
  std::function<void(const TrainingProgress&)> progress = {};
  /// Asked then: true, and the run stops behind a checkpoint.
  std::function<bool()> stop = {};
};

/// What a training came to, with what earlier processes did of it.
struct TrainingOutcome {
  bool was_finished = false;   ///< a resumed run that had nothing left to do
  bool was_stopped = false;    ///< as it was asked to, before its end
  std::size_t epochs = 0;      ///< done
  std::size_t best_epoch = 0;  ///< whose values the model has, from 1; 0 before the first one's end
  double best = 0;             ///< its Trainer::EpochResult::score
  std::size_t skipped_steps = 0;  ///< left out because a gradient was not finite
};

/// Trains into the run's folder: config.json, vocabulary.txt and model.safetensors (the best epoch
/// by the validation) make a text model; last.safetensors is a checkpoint, written after every
/// epoch, every `checkpoint_steps` steps and when the run is asked to stop; log.jsonl has a line
/// for the start, every epoch and the end. With `resume` a run goes on from the checkpoint to the
/// same bits (a folder that is not there or empty starts, a finished run returns at once), and what
/// a killed process left of a file half written is removed; without, a folder with anything in it
/// is refused, and so is, where the file system has locks, a folder that another training writes
/// into. Throws ValueError for that, or for a run begun with other data or settings; IoError.
PADLESS_API TrainingOutcome train_text_model(Runtime& runtime, const LabelledSet& set,
                                             const TextTraining& training, const TrainingRun& run);

}  // namespace padless
