#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <system_error>

#include "padless/cli/commands.h"
#include "padless/cli/input.h"
#include "padless/cli/options.h"
#include "padless/cli/stop.h"
#include "padless/cli/training_display.h"
#include "padless/cli/training_options.h"
#include "padless/core/error.h"
#include "padless/train/text_training.h"

namespace padless::cli {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  padless train --model han --data reviews.csv --text review --label stars --out stars\n"
    "  padless train --model han --data films.csv --text plot --labels genres --out genres\n"
    "  padless train --model han --data reviews.csv --text review --target score --out score\n"
    "  padless train --model encoder --data reviews.csv --text review --label stars --out stars\n"
    "Ctrl-C ends a training behind a checkpoint. The same command with --resume goes on after\n"
    "that, or after any other interruption, to the same bits.";

struct TrainCommand {
  DataOptions data;
  LearntOptions learnt;
  std::optional<std::size_t> limit;
  std::string out;
  bool resume = false;
  std::size_t threads = 0;
  std::size_t checkpoint_steps = 200;
  TrainingOptions training;
};

/// Before texts are read for nothing.
void require_new_or_resumed(const TrainCommand& options) {
  const std::filesystem::path folder = options.out;
  std::error_code unseen;  // what is wrong with the name is told when the folder is made
  require_value(options.resume || !std::filesystem::exists(folder / "last.safetensors", unseen),
                folder.string(),
                ": a training was begun there, expected another folder (or --resume, to go on)");
}

/// A share of the training texts validates where none is given for that.
void require_no_share_beside(const LabelledSet& set, const TrainCommand& options,
                             const CLI::App& command, const std::string& table) {
  const auto dev = std::ranges::count(set.splits, Split::dev);
  if (command.count("--validation-share") == 0 || dev == 0) return;
  throw UsageError(message("--validation-share is given, and in ", table, " '",
                           options.learnt.split.value_or(""), "' is dev in ", dev,
                           " rows, which validate; expected one of the two"));
}

void train(const TrainCommand& options, const CLI::App& command, const Console& console) {
  require_one(options.learnt);
  const TextTraining training = training_of(options.training, options.learnt, command);
  require_new_or_resumed(options);
  const auto runtime = make_runtime(options.threads);
  TableReader table = open_table(console, options.data);
  const LabelledSet set =
      read_labelled_set(table, columns_of(options.data, options.learnt), options.limit);
  require_no_share_beside(set, options, command, table.name());

  const std::filesystem::path folder = options.out;
  const std::filesystem::path log = folder / "log.jsonl";
  TrainingDisplay display(console, log);
  const StopRequest stop;
  TrainingProgress last;
  const auto show = [&](const TrainingProgress& progress) {
    display.show(progress);
    last = progress;
  };
  const TrainingOutcome outcome = train_text_model(*runtime, set, training,
                                                   {.folder = folder,
                                                    .resume = options.resume,
                                                    .checkpoint_steps = options.checkpoint_steps,
                                                    .progress = show,
                                                    .stop = [&stop] { return stop.asked(); }});
  if (outcome.was_stopped) {
    display.clear();
    throw Interrupted(message("interrupted in epoch ", last.epoch, " of ", last.epochs,
                              "; a checkpoint is written, and the same command with --resume goes "
                              "on from there in ",
                              folder.string()));
  }
  if (outcome.was_finished) {
    console.out << folder.string() << ": this training is finished; nothing is left to do\n";
  }
  console.out << summary_of(folder, read_training_log(log));
}

}  // namespace

void add_train(CLI::App& app, const Console& console) {
  const auto options = std::make_shared<TrainCommand>();
  CLI::App* command = app.add_subcommand(
      "train", "Trains a model on texts with a class each, with labels or with numbers");
  add_kind(*command, options->training);
  add_data_options(*command, options->data);
  add_learnt_options(*command, options->learnt,
                     "column that says train, dev (validates) or test (is left out)");
  add_whole(*command, "--limit", options->limit, "the first rows alone, so many", {.low = 1});
  add_path(*command, "--out", options->out, "folder for the model, its checkpoint and its log")
      ->type_name("DIR")
      ->required();
  command->add_flag("--resume", options->resume,
                    "goes on where the training in --out stopped, if one was begun");
  add_threads(*command, options->threads);
  add_whole(*command, "--checkpoint-steps", options->checkpoint_steps,
            "batches between two checkpoints; there is one after each epoch too", {.low = 1});
  add_training_options(*command, options->training);
  command->footer(kExamples);
  command->callback([options, command, &console] { train(*options, *command, console); });
}

}  // namespace padless::cli
