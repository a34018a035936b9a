#include "padless/train/text_training.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "padless/core/error.h"
#include "padless/core/hash.h"
#include "padless/io/atomic_file.h"
#include "padless/io/json.h"
#include "padless/train/checkpoint.h"

namespace padless {
namespace {

namespace fs = std::filesystem;

enum class Use { train, validate, leave };

// Which texts train and which validate.
std::vector<Use> uses_of(const LabelledSet& set, const TextTraining& training) {
  bool has_dev = false;
  for (const Split split : set.splits) has_dev = has_dev || split == Split::dev;
  std::vector<Use> uses;
  for (std::size_t i = 0; i < set.texts.size(); ++i) {
    if (!set.splits.empty() && set.splits[i] == Split::test) {
      uses.push_back(Use::leave);
    } else if (has_dev) {
      uses.push_back(set.splits[i] == Split::dev ? Use::validate : Use::train);
    } else {
      const bool validates =
          in_share(training.options.seed, set.rows[i], training.validation_share);
      uses.push_back(validates ? Use::validate : Use::train);
    }
  }
  return uses;
}

// What the training texts decide about the targets.
void standardise(const LabelledSet& set, const std::vector<Use>& uses, double& mean,
                 double& scale) {
  double sum = 0, squares = 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    if (uses[i] != Use::train) continue;
    sum += set.targets[i];
    ++count;
  }
  mean = sum / static_cast<double>(count);
  for (std::size_t i = 0; i < uses.size(); ++i) {
    if (uses[i] == Use::train) squares += (set.targets[i] - mean) * (set.targets[i] - mean);
  }
  const double deviation = std::sqrt(squares / static_cast<double>(count));
  scale = deviation > 0 && std::isfinite(deviation) ? deviation : 1;
}

Classes classes_of(const LabelledSet& set, const std::vector<Use>& uses) {
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    if (uses[i] == Use::train) labels.push_back(set.labels[i]);
  }
  return Classes::of(labels);
}

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

// Adds what was chosen from a few, with what each choice alone decides.
void write_choices(const TrainOptions& options, Json& to) {
  to.set("optimizer", name_of(optimizer_names(), options.optimizer));
  if (options.optimizer == OptimizerKind::sgd) {
    to.set("momentum", options.momentum).set("nesterov", options.nesterov);
  }
  to.set("schedule", name_of(schedule_names(), options.schedule.shape))
      .set("class_weights", name_of(class_weights_names(), options.class_weights));
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

constexpr std::size_t kMostLog = std::size_t{1} << 30;

// The lines of a log up to the end of epoch `epochs`: where the checkpoint is. A process that was
// killed, or a machine, may have left a part of a line behind them.
std::string log_until(const fs::path& path, std::size_t epochs) {
  const std::string text = fs::exists(path) ? read_file(path, kMostLog) : "";
  std::size_t kept = 0;
  for (std::size_t end; (end = text.find('\n', kept)) != std::string::npos; kept = end + 1) {
    try {
      const JsonDocument line = JsonDocument::parse(text.substr(kept, end - kept), path.string());
      const auto epoch = line.root().find("epoch");
      const bool is_end = line.root().at("event").as_string() == "end";
      if (is_end || (epoch && epoch->as_size() > epochs)) break;
    } catch (const FormatError&) {
      break;
    }
  }
  return text.substr(0, kept);
}

// A line of JSON after another.
class Log {
 public:
  /// Keeps of an earlier process's log what its checkpoint knows of.
  Log(fs::path path, std::size_t epochs) : path_(std::move(path)) {
    const std::string kept = log_until(path_, epochs);
    is_new_ = kept.empty();
    write_file(path_, kept);
  }

  bool is_new() const { return is_new_; }
  void add(const Json& line) { append_to_file(path_, line.compact() + "\n"); }

 private:
  fs::path path_;
  bool is_new_ = true;
};

Json start_line(const PreparedTraining& prepared, const Trainer& trainer,
                const TextTraining& training) {
  const Padding padding = trainer.padding();
  Json line = Json::object();
  line.set("event", "start")
      .set("texts", prepared.train.size())
      .set("validation_texts", prepared.validation.size())
      .set("validation_labels_unseen", prepared.validation_unseen)
      .set("words", trainer.words())
      .set("words_cut", prepared.words_cut)
      .set("vocabulary", prepared.model.vocabulary.size())
      .set("parameters", static_cast<std::size_t>(parameters_of(prepared.model.network.config())))
      .set("seed", training.options.seed)
      .set("slots_if_padded", padding.slots);
  write_choices(training.options, line);
  // One a class, in the order of config.json's labels.
  const std::span<const float> weights = trainer.class_weights();
  if (!weights.empty()) line.set("weights_of_classes", Json::array_of(weights));
  return line;
}

Json epoch_line(const Trainer& trainer, const PreparedTraining& prepared, double seconds,
                std::size_t words) {
  const Trainer::EpochResult& result = trainer.last_epoch();
  Json line = Json::object();
  line.set("event", "epoch")
      .set("epoch", trainer.position().epoch)
      .set("step", trainer.position().step);
  // JSON has no NaN: an epoch whose every step was left out has no loss.
  line.set("loss", std::isfinite(result.loss) ? Json(result.loss) : Json());
  if (prepared.validation.size() > 0 && prepared.model.classifies()) {
    line.set("accuracy", result.classes.accuracy).set("macro_f1", result.classes.macro_f1);
  } else if (prepared.validation.size() > 0) {
    const double scale = prepared.model.target_scale;
    line.set("mae", result.numbers.mae * scale)
        .set("r2", result.numbers.r2)
        .set("spearman", result.numbers.spearman);
  }
  line.set("best", result.improved)
      .set("seconds", seconds)
      .set("words_per_second", seconds > 0 ? static_cast<double>(words) / seconds : 0.0);
  return line;
}

Json end_line(const Trainer& trainer, double seconds) {
  const Trainer::Position& at = trainer.position();
  return Json::object()
      .set("event", "end")
      .set("epochs", at.epoch)
      .set("best_epoch", at.best_epoch)
      .set("best", std::isfinite(at.best) ? Json(at.best) : Json())
      .set("skipped_steps", at.skipped)
      .set("seconds", seconds);
}

// Whether anything is there but temporary files, which an interrupted write may have left.
bool is_used(const fs::path& folder) {
  if (!fs::exists(folder)) return false;
  if (!fs::is_directory(folder)) return true;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with('.') || !name.ends_with(".tmp")) return true;
  }
  return false;
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

  void remove_leftovers() const {
    for (const fs::path& file :
         {checkpoint, parameters, log, folder / "config.json", folder / "vocabulary.txt"}) {
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

PreparedTraining prepare(const LabelledSet& set, const TextTraining& asked) {
  TextTraining training = asked;
  if (const auto longest = longest_of(training.model)) {
    std::optional<std::size_t>& most = training.tokenizer.max_words;
    most = std::min(most.value_or(*longest), *longest);
  }
  const std::vector<Use> uses = uses_of(set, training);
  const bool classifies = !set.labels.empty();
  require_value(classifies || !set.targets.empty(),
                "prepare: the texts have neither labels nor targets");

  std::vector<Document> documents;
  VocabularyBuilder builder;
  std::size_t words_cut = 0, train_texts = 0;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    documents.emplace_back(uses[i] == Use::leave ? "" : set.texts[i], training.tokenizer);
    words_cut += documents[i].words_cut();
    if (uses[i] != Use::train) continue;
    builder.add(documents[i]);
    ++train_texts;
  }
  require_value(train_texts > 0, "prepare: of ", set.texts.size(),
                " texts none is for training, expected some whose split is train");

  const std::optional<Classes> classes =
      classifies ? std::optional(classes_of(set, uses)) : std::nullopt;
  Vocabulary vocabulary = builder.build(training.vocabulary);
  const NetworkConfig config =
      with_sizes(training.model, vocabulary.size(), classes ? classes->count() : 1);
  Rng rng(training.options.seed);
  PreparedTraining prepared{
      .model = {.tokenizer = training.tokenizer,
                .vocabulary = std::move(vocabulary),
                .labels = classes ? classes->names() : std::vector<std::string>(),
                .shards = training.options.shards,
                .network = Network(config, rng)},
      .train = {},
      .validation = {},
      .words_cut = words_cut};
  if (!classifies) {
    standardise(set, uses, prepared.model.target_mean, prepared.model.target_scale);
  }

  for (std::size_t i = 0; i < uses.size(); ++i) {
    if (uses[i] == Use::leave) continue;
    Examples& to = uses[i] == Use::train ? prepared.train : prepared.validation;
    to.documents.push_back(look_up(documents[i], prepared.model.vocabulary));
    to.numbers.push_back(set.rows[i]);
    if (classes) {
      const std::optional<std::size_t> id = classes->id(set.labels[i]);
      if (!id) ++prepared.validation_unseen;
      to.labels.push_back(id ? static_cast<std::int32_t>(*id) : -1);
    } else {
      const TextModel& model = prepared.model;
      to.targets.push_back(
          static_cast<float>((set.targets[i] - model.target_mean) / model.target_scale));
    }
  }
  return prepared;
}

TrainingOutcome train_text_model(Runtime& runtime, const LabelledSet& set,
                                 const TextTraining& training, const TrainingRun& run) {
  const fs::path& folder = run.folder;
  require_value(run.checkpoint_steps > 0,
                "train_text_model: checkpoint_steps is 0, expected at least 1");
  require_value(run.resume || !is_used(folder), folder.string(),
                ": the folder is not empty, expected a new one (or --resume, to go on)");
  PreparedTraining prepared = prepare(set, training);
  const std::unique_ptr<Trainee> trainee = prepared.model.network.trainee();
  Trainer trainer(runtime, *trainee, prepared.train, prepared.validation, training.options);

  const Files files(folder);
  const Json name = run_of(training, prepared);
  const bool goes_on = run.resume && fs::exists(files.checkpoint);
  require_value(goes_on || !is_used(folder), folder.string(),
                ": the folder is not empty and holds no last.safetensors to resume from");
  // The checkpoint first: wherever a run is interrupted, it can be resumed.
  if (goes_on) {
    load_checkpoint(files.checkpoint, *trainee, trainer, name);
    files.remove_leftovers();
    if (trainer.finished()) {
      load_text_model(folder);  // says what is missing or damaged
      return outcome_of(trainer, {.was_finished = true});
    }
  } else {
    make_folder(folder);
    files.remove_leftovers();
    save_checkpoint(files.checkpoint, *trainee, trainer, name);
  }
  if (!fs::exists(files.parameters)) {
    require_value(
        trainer.position().best_epoch == 0, files.parameters.string(),
        ": is gone with the best epoch in it, expected it beside the checkpoint; train in "
        "a new folder");
    save_parameters(files.parameters, prepared.model.network);
  }
  save_description(folder, prepared.model);
  Log log(files.log, trainer.position().epoch);
  if (log.is_new()) log.add(start_line(prepared, trainer, training));

  Clock clock(prepared, trainer, training.options.epochs);
  while (!trainer.finished()) {
    const std::size_t epoch = trainer.position().epoch + 1;
    trainer.advance();
    const TrainingProgress progress = clock.progress_behind(epoch);
    if (trainer.epoch_ended()) {
      if (trainer.last_epoch().improved) {
        save_parameters(files.parameters, prepared.model.network);
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
  return outcome_of(trainer, {});
}

}  // namespace padless
