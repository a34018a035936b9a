#include "padless/train/text_training.h"

#include <bit>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "padless/core/error.h"
#include "padless/core/hash.h"
#include "padless/io/atomic_file.h"
#include "padless/io/folder_lock.h"
#include "padless/io/json.h"
#include "padless/io/regular_file.h"
#include "padless/train/best_parameters.h"
#include "padless/train/checkpoint.h"
#include "padless/train/run_log.h"

namespace padless {
namespace {

namespace fs = std::filesystem;

// Of all words and what is to be learnt of them: the data's part of a run's name.
std::string digest(const Examples& examples) {
  Fnv1a hash;
  for (std::size_t i = 0; i < examples.size(); ++i) {
    hash.add(examples.numbers[i]);
    for (const std::int32_t id : examples.documents[i].words) {
      hash.add(static_cast<std::uint64_t>(id));
    }
    for (const std::size_t length : examples.documents[i].sentence_lengths) {
      hash.add(std::uint64_t{length});
    }
    if (!examples.labels.empty()) hash.add(static_cast<std::uint64_t>(examples.labels[i]));
    if (!examples.label_sets.empty()) {
      hash.add(std::uint64_t{examples.label_sets[i].size()});
      for (const std::int32_t label : examples.label_sets[i]) {
        hash.add(static_cast<std::uint64_t>(label));
      }
    }
    if (!examples.targets.empty()) {
      hash.add(std::uint64_t{std::bit_cast<std::uint32_t>(examples.targets[i])});
    }
  }
  return std::to_string(hash.value());
}

// Of what turns a text into ids and outputs into an answer.
std::string digest(const TextModel& model) {
  Fnv1a hash;
  hash.add(model.vocabulary.to_text());
  for (const std::string& label : model.labels) {
    hash.add(std::uint64_t{label.size()});
    hash.add(label);
  }
  hash.add(std::bit_cast<std::uint64_t>(model.target_mean));
  hash.add(std::bit_cast<std::uint64_t>(model.target_scale));
  return std::to_string(hash.value());
}

// All that decides the files of a run: a checkpoint of another run is refused.
Json run_of(const TextTraining& training, const PreparedTraining& prepared) {
  const TrainOptions& options = training.options;
  const TokenizerSettings& tokenizer = prepared.model.tokenizer;
  Json network = Json::object();
  write_config(prepared.model.network.config(), network);
  Json run = Json::object();
  run.set("contract_version", kContractVersion)
      .set("hash of the training texts", digest(prepared.train))
      .set("hash of the validation texts", digest(prepared.validation))
      .set("hash of the words and labels", digest(prepared.model))
      .set("lower_case", tokenizer.lower_case)
      .set("lines_are_sentences", tokenizer.lines_are_sentences)
      .set("max_words", tokenizer.max_words ? Json(*tokenizer.max_words) : Json())
      .set("min_count", training.vocabulary.min_count)
      .set("max_vocabulary", training.vocabulary.max_size)
      .set("network", std::move(network))
      .set("epochs", options.epochs)
      .set("batch_tokens", options.batch_tokens)
      .set("batch_documents", options.batch_documents)
      .set("window", options.window)
      .set("learning_rate", options.learning_rate)
      .set("warmup", options.schedule.warmup)
      .set("weight_decay", options.decay)
      .set("clip_norm", options.clip_norm)
      .set("label_smoothing", options.label_smoothing)
      .set("patience", options.patience)
      .set("shards", options.shards)
      .set("seed", options.seed);
  write_choices(options, run);
  return run;
}

// Whether anything is there but temporary files, which an interrupted write may have left.
bool is_used(const fs::path& folder) {
  std::error_code failed;
  if (fs::status(folder, failed).type() == fs::file_type::not_found) return false;
  fs::directory_iterator entry(folder, failed);
  for (; !failed && entry != fs::directory_iterator(); entry.increment(failed)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with('.') || !name.ends_with(".tmp")) return true;
  }
  if (failed)
    throw IoError(message(folder.string(), ": cannot read the folder: ", failed.message()));
  return false;
}

/// Of a finished run no epoch of which could be judged, only the untrained parameters are there.
void require_best_epoch(const TextTraining& training, const fs::path& folder,
                        const Trainer::Position& at) {
  require_value(
      at.best_epoch > 0, folder.string(), ": the training has diverged: in none of ", at.epoch,
      " epochs were the loss and the validation texts' scores finite, expected "
      "a smaller learning_rate than ",
      training.options.learning_rate, "; the folder holds the parameters as they were before");
}

// Two trainings would write over each other's files.
FolderLock lock_of(const fs::path& folder) {
  if (std::optional<FolderLock> lock = FolderLock::take(folder)) return *std::move(lock);
  throw ValueError(message(folder.string(),
                           ": another training writes into it, expected one at a time (wait for "
                           "its end, or take another folder)"));
}

TrainingOutcome outcome_of(const Trainer& trainer, TrainingOutcome outcome) {
  const Trainer::Position& at = trainer.position();
  outcome.epochs = at.epoch;
  outcome.best_epoch = at.best_epoch;
  outcome.best = at.best;
  outcome.skipped_steps = at.skipped;
  return outcome;
}

// What a run keeps in its folder beside the model's description.
struct Files {
  explicit Files(const fs::path& in)
      : folder(in),
        checkpoint(in / "last.safetensors"),
        parameters(in / "model.safetensors"),
        log(in / "log.jsonl") {}

  /// Before a run goes on: what a killed process left is removed, and what is no file is refused
  /// (opened for writing, a pipe would wait for its reader).
  void clean() const {
    for (const fs::path& file :
         {checkpoint, parameters, log, folder / "config.json", folder / "vocabulary.txt"}) {
      require_no_other_than_file(file);
      remove_temporaries_of(file);
    }
  }

  fs::path folder, checkpoint, parameters, log;
};

// The time and the words of a run, as far as this process has done it.
class Clock {
 public:
  Clock(const PreparedTraining& prepared, const Trainer& trainer, std::size_t epochs)
      : trainer_(trainer), epochs_(epochs) {
    for (std::size_t b = 0; b < trainer.position().batch; ++b) {
      for (const std::size_t item : trainer.batches()[b]) {
        words_before_ += prepared.train.documents[item].words.size();
      }
    }
  }

  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  }
  double epoch_seconds() const { return seconds() - epoch_began_; }
  std::size_t epoch_words() const { return epoch_words_; }

  /// Behind a batch of epoch `epoch`, counted from 1.
  TrainingProgress progress_behind(std::size_t epoch) {
    words_ += trainer_.last_words();
    epoch_words_ += trainer_.last_words();
    const Trainer::Position& at = trainer_.position();
    if (at.loss_weight > 0) loss_ = at.loss_sum / at.loss_weight;
    return {.epoch = epoch,
            .epochs = epochs_,
            .words_done = words_,
            .words_left = (epochs_ - epoch + 1) * trainer_.words() - (words_before_ + epoch_words_),
            .seconds = seconds(),
            .loss = loss_,
            .ended = trainer_.epoch_ended() ? &trainer_.last_epoch() : nullptr};
  }

  void begin_epoch() {
    epoch_began_ = seconds();
    epoch_words_ = 0;
    words_before_ = 0;
  }

 private:
  const Trainer& trainer_;
  std::size_t epochs_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  double epoch_began_ = 0, loss_ = 0;
  std::size_t words_ = 0;
  std::size_t epoch_words_ = 0;   // of this epoch, done by this process
  std::size_t words_before_ = 0;  // of this epoch, done before
};

}  // namespace

TrainingOutcome train_text_model(Runtime& runtime, const LabelledSet& set,
                                 const TextTraining& training, const TrainingRun& run) {
  const fs::path& folder = run.folder;
  require_value(run.checkpoint_steps > 0,
                "train_text_model: checkpoint_steps is 0, expected at least 1");
  std::error_code unseen;  // what is wrong with the name is told by is_used or make_folder
  require_value(!fs::exists(folder, unseen) || fs::is_directory(folder, unseen), folder.string(),
                ": is a file, expected a folder or the name of a new one");
  std::optional<FolderLock> lock;
  if (fs::exists(folder, unseen)) lock = lock_of(folder);
  require_value(run.resume || !is_used(folder), folder.string(),
                ": the folder is not empty, expected a new one (or resume, to go on with the "
                "training in it)");
  PreparedTraining prepared = prepare(set, training);
  const std::unique_ptr<Trainee> trainee = prepared.model.network.trainee();
  Trainer trainer(runtime, *trainee, prepared.train, prepared.validation, training.options);

  if (!lock) {
    make_folder(folder);
    lock = lock_of(folder);
  }
  const Files files(folder);
  const Json name = run_of(training, prepared);
  const std::string short_name = hash_digits(name.compact());
  const bool goes_on = run.resume && fs::exists(files.checkpoint, unseen);
  require_value(goes_on || !is_used(folder), folder.string(),
                ": the folder is not empty and holds no last.safetensors to resume from");
  // The checkpoint first: wherever a run is interrupted, it can be resumed.
  if (goes_on) {
    load_checkpoint(files.checkpoint, *trainee, trainer, name);
    files.clean();
    if (trainer.finished()) {
      load_text_model(folder);  // says what is missing or damaged
      require_best_epoch(training, folder, trainer.position());
      RunLog log(files.log, trainer.position());
      if (log.is_new()) log.add(start_line(prepared, trainer, training));
      if (!log.has_end()) log.add(end_line(trainer, std::nullopt));
      return outcome_of(trainer, {.was_finished = true});
    }
  } else {
    files.clean();
    save_checkpoint(files.checkpoint, *trainee, trainer, name);
  }
  const Trainer::Position& at = trainer.position();
  if (at.best_epoch > 0) {
    require_best_parameters(files.parameters, short_name, at);
  } else if (!fs::exists(files.parameters)) {
    save_parameters(files.parameters, prepared.model, origin_of(short_name, 0));
  }
  save_description(folder, prepared.model);
  RunLog log(files.log, trainer.position());
  if (log.is_new()) log.add(start_line(prepared, trainer, training));

  Clock clock(prepared, trainer, training.options.epochs);
  while (!trainer.finished()) {
    const std::size_t epoch = trainer.position().epoch + 1;
    trainer.advance();
    const TrainingProgress progress = clock.progress_behind(epoch);
    if (trainer.epoch_ended()) {
      if (trainer.last_epoch().improved) {
        save_parameters(files.parameters, prepared.model, origin_of(short_name, at.epoch));
      }
      log.add(epoch_line(trainer, prepared, clock.epoch_seconds(), clock.epoch_words()));
      clock.begin_epoch();
    }
    // The end of the run is recorded behind its last line, so that no line is ever missing.
    if (trainer.finished()) log.add(end_line(trainer, clock.seconds()));
    if (run.progress) run.progress(progress);
    const bool stops = run.stop && run.stop();
    if (trainer.epoch_ended() || stops || trainer.position().step % run.checkpoint_steps == 0) {
      save_checkpoint(files.checkpoint, *trainee, trainer, name);
    }
    if (stops && !trainer.finished()) return outcome_of(trainer, {.was_stopped = true});
  }
  require_best_epoch(training, folder, at);
  return outcome_of(trainer, {});
}

}  // namespace padless
