#include <algorithm>
#include <filesystem>
#include <ostream>
#include <utility>
#include <vector>

#include "padless/batch/shards.h"
#include "padless/cli/commands.h"
#include "padless/cli/input.h"
#include "padless/cli/options.h"
#include "padless/cli/stop.h"
#include "padless/cli/training_display.h"
#include "padless/core/error.h"
#include "padless/core/quote.h"
#include "padless/train/encoder_names.h"
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

// The kinds of model, in the order of network_kinds().
constexpr std::size_t kHan = 0, kEncoder = 1;

struct TrainCommand {
  std::size_t model = 0;
  DataOptions data;
  LearntOptions learnt;
  std::optional<std::size_t> limit;
  std::string out;
  bool resume = false;
  bool keep_case = false;
  std::size_t threads = 0;
  std::size_t checkpoint_steps = 200;
  HanConfig han;
  std::size_t reset = 0;  // after, before
  TransformerEncoderConfig encoder;
  std::optional<std::size_t> feed_forward;
  std::vector<std::pair<CLI::Option*, std::size_t>> own_options;  // and the kind that has them
  TextTraining training;
};

/// A choice by the names that files have for it.
template <class Value>
CLI::Option* add_named(CLI::App& command, const std::string& option, Value& target,
                       const std::string& help, const Names<Value>& names) {
  std::string list;
  for (const auto& [value, name] : names) list += message(list.empty() ? "" : "|", name);
  const auto set = [&target, &names, option, list](const std::string& text) {
    const auto found = std::ranges::find(names, text, &std::pair<Value, std::string_view>::second);
    if (found == names.end()) {
      throw UsageError(message(option, " is ", quote(text), ", expected ", list));
    }
    target = found->first;
  };
  return command.add_option_function<std::string>(option, set, help)
      ->type_name(list)
      ->default_str(std::string(name_of(names, target)));
}

void add_text_options(CLI::App& command, TrainCommand& options) {
  TextTraining& training = options.training;
  add_whole(
      command, "--max-words", training.tokenizer.max_words,
      message("longer texts are cut after that many words; otherwise never, but an encoder's ",
              "after ", options.encoder.max_length),
      {.low = 1, .high = std::uint64_t{1} << 24});
  command.add_flag("--lines-are-sentences", training.tokenizer.lines_are_sentences,
                   "each line of a text is a sentence; otherwise Unicode's rules say where one "
                   "ends");
  command.add_flag("--keep-case", options.keep_case, "words are not lower-cased");
  add_whole(command, "--min-count", training.vocabulary.min_count,
            "words met less often in the training texts are unknown", {.low = 1});
  add_whole(command, "--max-vocabulary", training.vocabulary.max_size, "words known, at most",
            {.low = 1, .high = Vocabulary::kMaxSize});
}

constexpr WholeRange kWidth = {.low = 1, .high = std::uint64_t{1} << 24};

void add_han_options(CLI::App& command, TrainCommand& options) {
  HanConfig& model = options.han;
  const auto own = [&options](CLI::Option* option) {
    options.own_options.emplace_back(option->group("HAN"), kHan);
  };
  own(add_whole(command, "--embedding", model.embedding, "width of a word's vector", kWidth));
  own(add_whole_option(
          command, "--hidden", "units of each GRU, each direction", kWidth,
          [&model](std::uint64_t units) { model.word_hidden = model.sentence_hidden = units; })
          ->default_str(std::to_string(model.word_hidden)));
  own(add_choice(command, "--gru", options.reset, "where the GRU's reset gate acts",
                 {"reset-after", "reset-before"})
          ->default_str("reset-after"));
}

void add_encoder_options(CLI::App& command, TrainCommand& options) {
  TransformerEncoderConfig& model = options.encoder;
  const auto own = [&options](CLI::Option* option) {
    options.own_options.emplace_back(option->group("Encoder"), kEncoder);
  };
  own(add_whole(command, "--width", model.width, "width of a word's vector, in every layer",
                kWidth));
  own(add_whole(command, "--layers", model.layers, "blocks of attention and feed-forward",
                {.low = 1, .high = 1024}));
  own(add_whole(command, "--heads", model.heads, "heads of each attention, a divisor of the width",
                kWidth));
  own(add_whole(command, "--key-heads", model.key_heads,
                "heads of keys and values, a divisor of the heads; 0: as many",
                {.high = kWidth.high}));
  own(add_whole(command, "--feed-forward", options.feed_forward,
                "width inside each feed-forward; otherwise four times the width", kWidth));
  own(add_named(command, "--activation", model.activation, "of the feed-forward",
                activation_names()));
  own(command.add_flag("--gated", model.gated,
                       "the feed-forward multiplies what is activated by another projection"));
  own(add_named(command, "--norm", model.norm, "of rows", norm_names()));
  own(add_named(command, "--norm-place", model.norm_place,
                "in front of what a sublayer does, or behind its sum", norm_place_names()));
  own(add_named(command, "--positions", model.positions, "how words know their order",
                position_names()));
  own(add_named(command, "--pooling", model.pooling, "how words become one row",
                text_pooling_names()));
  own(command.add_flag("--share-layers", model.share_layers, "all layers have the same weights"));
}

void add_model_options(CLI::App& command, TrainCommand& options) {
  add_whole_option(command, "--attention", "units of each additive attention", kWidth,
                   [&options](std::uint64_t units) {
                     options.han.word_attention = options.han.sentence_attention = units;
                     options.encoder.pooling_attention = units;
                   })
      ->default_str(std::to_string(options.han.word_attention));
  add_number(command, "--dropout", options.han.dropout,
             "share of numbers left out in training; an encoder's is 0.1 if not given",
             NumberKind::dropout);
  add_han_options(command, options);
  add_encoder_options(command, options);
}

/// The options of the other kinds must not be given.
void require_own_options(const TrainCommand& options) {
  for (const auto& [option, kind] : options.own_options) {
    if (option->count() == 0 || kind == options.model) continue;
    throw UsageError(message(option->get_name(), " is given, which --model ", network_kinds()[kind],
                             " has, expected an option of --model ",
                             network_kinds()[options.model]));
  }
}

/// Of options that depend on each other, those must be given that have a part in the training.
void require_run_options(const TrainCommand& options, const CLI::App& command) {
  const TrainOptions& run = options.training.options;
  for (const char* option : {"--momentum", "--nesterov"}) {
    if (command.count(option) == 0 || run.optimizer == OptimizerKind::sgd) continue;
    throw UsageError(message(option,
                             " is given, which --optimizer sgd has, expected no such "
                             "option with --optimizer ",
                             name_of(optimizer_names(), run.optimizer)));
  }
  if (run.nesterov && run.momentum == 0) {
    throw UsageError("--nesterov is given with --momentum 0, expected a momentum above 0");
  }
  const char* const learnt = options.learnt.labels ? "--labels" : "--target";
  if (run.class_weights == ClassWeights::balanced && !options.learnt.label) {
    throw UsageError(
        message("--class-weights is balanced with ", learnt, ", expected it with --label"));
  }
  if (run.label_smoothing != 0 && !options.learnt.label) {
    throw UsageError(message("--label-smoothing is ", run.label_smoothing, " with ", learnt,
                             ", expected it with --label"));
  }
}

/// `options`: those that a refusal is about.
void require_usable(const TransformerEncoderConfig& config, const char* options) {
  try {
    config.check();
  } catch (const ValueError& error) {
    throw UsageError(message(error.what(), options));
  }
}

NetworkConfig model_of(const TrainCommand& options, const CLI::App& command) {
  if (options.model == kHan) {
    HanConfig han = options.han;
    han.reset = options.reset == 0 ? GruReset::after : GruReset::before;
    return han;
  }
  TransformerEncoderConfig encoder = options.encoder;
  encoder.feed_forward = options.feed_forward.value_or(4 * encoder.width);
  if (command.count("--dropout") > 0) encoder.dropout = options.han.dropout;
  if (command.count("--attention") > 0 && encoder.pooling != EncoderPooling::additive_attention) {
    throw UsageError(
        "--attention is given, which --pooling additive-attention has, expected that beside it");
  }
  const std::optional<std::size_t>& max_words = options.training.tokenizer.max_words;
  if (max_words) encoder.max_length = *max_words;
  // What is refused of the second alone is the length.
  TransformerEncoderConfig sized = encoder;
  sized.vocabulary = sized.outputs = sized.max_length = 1;
  require_usable(sized, "");
  sized.max_length = encoder.max_length;
  require_usable(sized, " (--max-words, --positions)");
  return encoder;
}

void add_run_options(CLI::App& command, TrainCommand& options) {
  TrainOptions& run = options.training.options;
  add_whole(command, "--epochs", run.epochs, "times the training texts are read, at most",
            {.low = 1});
  add_whole(command, "--seed", run.seed, "of everything drawn");
  add_number(command, "--learning-rate", run.learning_rate, "at its highest", NumberKind::positive);
  add_named(command, "--schedule", run.schedule.shape,
            "how the learning rate falls to 0 behind the warm-up; constant: it does not",
            schedule_names());
  add_number(command, "--warmup", run.schedule.warmup,
             "share of the run in which the learning rate rises", NumberKind::share);
  add_named(command, "--optimizer", run.optimizer,
            "what moves the weights; sgd wants a higher --learning-rate", optimizer_names());
  add_number(command, "--momentum", run.momentum, "sgd's: what is left of a velocity after a step",
             NumberKind::share);
  command.add_flag("--nesterov", run.nesterov, "sgd looks ahead along the velocity");
  add_number(command, "--weight-decay", run.decay,
             "share of a weight that a step takes, times the learning rate; sgd adds it to the "
             "gradient",
             NumberKind::share);
  add_number(command, "--clip-norm", run.clip_norm, "gradients are scaled down to this norm",
             NumberKind::positive);
  add_number(command, "--label-smoothing", run.label_smoothing,
             "share of each label spread over all classes", NumberKind::share);
  add_named(command, "--class-weights", run.class_weights,
            "what a text weighs; balanced: all classes together weigh the same, however many "
            "texts each has",
            class_weights_names());
  add_whole(command, "--batch-tokens,--batch-words", run.batch_tokens, "words in a batch, at most",
            {.low = 1});
  add_whole(command, "--batch-documents", run.batch_documents, "texts in a batch, at most",
            {.low = 1});
  add_whole(command, "--patience", run.patience,
            "epochs without a better validation before the training stops; 0: never");
  add_number(command, "--validation-share", options.training.validation_share,
             "share of the training texts that validates where no split says dev",
             NumberKind::share);
  add_whole(command, "--checkpoint-steps", options.checkpoint_steps,
            "batches between two checkpoints; there is one after each epoch too", {.low = 1});
  add_whole(command, "--shards", run.shards,
            "parts in which gradients are summed: it decides bits, so a run keeps it",
            {.low = 1, .high = Shards::kMost});
}

TextTraining training_of(const TrainCommand& options, const CLI::App& command) {
  TextTraining training = options.training;
  training.tokenizer.lower_case = !options.keep_case;
  require_own_options(options);
  require_run_options(options, command);
  training.model = model_of(options, command);
  if (!Shards::is_count(training.options.shards)) {
    throw UsageError(
        message("--shards is '", training.options.shards, "', expected a power of two"));
  }
  return training;
}

/// Before texts are read for nothing.
void require_new_or_resumed(const TrainCommand& options) {
  const std::filesystem::path folder = options.out;
  require_value(options.resume || !std::filesystem::exists(folder / "last.safetensors"),
                folder.string(),
                ": a training was begun there, expected another folder (or --resume, to go on)");
}

void train(const TrainCommand& options, const CLI::App& command, const Console& console) {
  require_one(options.learnt);
  const TextTraining training = training_of(options, command);
  require_new_or_resumed(options);
  const auto runtime = make_runtime(options.threads);
  TableReader table = open_table(console, options.data);
  const LabelledSet set =
      read_labelled_set(table, columns_of(options.data, options.learnt), options.limit);

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
  add_choice(*command, "--model", options->model, "the kind of model", network_kinds())->required();
  add_data_options(*command, options->data);
  add_learnt_options(*command, options->learnt,
                     "column that says train, dev (validates) or test (is left out)");
  add_whole(*command, "--limit", options->limit, "the first rows alone, so many", {.low = 1});
  command->add_option("--out", options->out, "folder for the model, its checkpoint and its log")
      ->type_name("DIR")
      ->required();
  command->add_flag("--resume", options->resume,
                    "goes on where the training in --out stopped, if one was begun");
  add_threads(*command, options->threads);
  add_text_options(*command, *options);
  add_model_options(*command, *options);
  add_run_options(*command, *options);
  command->footer(kExamples);
  command->callback([options, command, &console] { train(*options, *command, console); });
}

}  // namespace padless::cli
