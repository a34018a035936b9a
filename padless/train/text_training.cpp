#include "padless/train/text_training.h"

#include <chrono>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "padless/core/error.h"
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

// Of all words and what is to be learnt of them (FNV-1a, 64 bits): the data's part of a run's name.
std::uint64_t digest(const Examples& examples) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  const auto mix = [&hash](std::uint64_t value) {
    for (int byte = 0; byte < 8; ++byte) {
      hash = (hash ^ ((value >> (8 * byte)) & 0xff)) * 0x100000001b3u;
    }
  };
  for (std::size_t i = 0; i < examples.size(); ++i) {
    mix(examples.numbers[i]);
    for (const std::int32_t id : examples.documents[i].words) mix(static_cast<std::uint64_t>(id));
    for (const std::size_t length : examples.documents[i].sentence_lengths) mix(length);
    if (!examples.labels.empty()) mix(static_cast<std::uint64_t>(examples.labels[i]));
    if (!examples.targets.empty()) mix(std::bit_cast<std::uint32_t>(examples.targets[i]));
  }
  return hash;
}

Json sizes_of(const HanConfig& config) {
  return Json::array_of(std::vector<std::size_t>{
      config.vocabulary, config.outputs, config.embedding, config.word_hidden,
      config.word_attention, config.sentence_hidden, config.sentence_attention});
}

// All that decides the bits of a run: a checkpoint of another run is refused.
std::string run_of(const TextTraining& training, const PreparedTraining& prepared) {
  const TrainOptions& options = training.options;
  Json run = Json::object();
  run.set("contract", kContractVersion)
      .set("train", std::to_string(digest(prepared.train)))
      .set("validation", std::to_string(digest(prepared.validation)))
      .set("sizes", sizes_of(prepared.model.han.config()))
      .set("dropout", prepared.model.han.config().dropout)
      .set("gru_reset_before", prepared.model.han.config().reset == GruReset::before)
      .set("epochs", options.epochs)
      .set("batch_tokens", options.batch_tokens)
      .set("batch_documents", options.batch_documents)
      .set("window", options.window)
      .set("learning_rate", options.learning_rate)
      .set("warmup", options.schedule.warmup)
      .set("decay", options.decay)
      .set("clip_norm", options.clip_norm)
      .set("label_smoothing", options.label_smoothing)
      .set("patience", options.patience)
      .set("shards", options.shards)
      .set("seed", options.seed);
  return run.compact();
}

// A line of JSON after another, of which a resumed run keeps those before its checkpoint.
class Log {
 public:
  Log(fs::path path, std::string start) : path_(std::move(path)), text_(std::move(start)) {}

  void add(const Json& line) {
    text_ += line.compact() + "\n";
    write_file(path_, text_);
  }

 private:
  fs::path path_;
  std::string text_;
};

// The lines of a log up to the end of epoch `epochs`.
std::string log_until(const fs::path& path, std::size_t epochs) {
  constexpr std::size_t kMostLog = std::size_t{1} << 30;
  const std::string text = fs::exists(path) ? read_file(path, kMostLog) : "";
  std::string kept;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string::npos) break;
    const std::string line = text.substr(begin, end - begin);
    const JsonDocument document = JsonDocument::parse(line, path.string());
    const auto epoch = document.root().find("epoch");
    const bool done = document.root().at("event").as_string() == "end";
    if (done || (epoch && epoch->as_size() > epochs)) break;
    kept += line + "\n";
    begin = end + 1;
  }
  return kept;
}

Json start_line(const PreparedTraining& prepared, const Trainer& trainer,
                const TextTraining& training) {
  const Padding padding = trainer.padding();
  return Json::object()
      .set("event", "start")
      .set("texts", prepared.train.size())
      .set("validation_texts", prepared.validation.size())
      .set("validation_labels_unseen", prepared.validation_unseen)
      .set("words", trainer.words())
      .set("words_cut", prepared.words_cut)
      .set("vocabulary", prepared.model.vocabulary.size())
      .set("parameters", static_cast<std::size_t>(prepared.model.han.config().parameters()))
      .set("seed", training.options.seed)
      .set("slots_if_padded", padding.slots);
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

TrainingOutcome outcome_of(const Trainer& trainer, bool was_finished) {
  const Trainer::Position& at = trainer.position();
  return {.was_finished = was_finished,
          .epochs = at.epoch,
          .best_epoch = at.best_epoch,
          .best = at.best,
          .skipped_steps = at.skipped};
}

}  // namespace

PreparedTraining prepare(const LabelledSet& set, const TextTraining& training) {
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
  HanConfig config = training.model;
  config.vocabulary = vocabulary.size();
  config.outputs = classes ? classes->count() : 1;
  Rng rng(training.options.seed);
  PreparedTraining prepared{
      .model = {.tokenizer = training.tokenizer,
                .vocabulary = std::move(vocabulary),
                .labels = classes ? classes->names() : std::vector<std::string>(),
                .shards = training.options.shards,
                .han = Han(config, rng)},
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
                                 const TextTraining& training, const fs::path& folder, bool resume,
                                 std::size_t checkpoint_steps,
                                 const std::function<void(const TrainingProgress&)>& progress) {
  require_value(checkpoint_steps > 0,
                "train_text_model: checkpoint_steps is 0, expected at least 1");
  require_value(resume || !is_used(folder), folder.string(),
                ": the folder is not empty, expected a new one (or --resume, to go on)");
  PreparedTraining prepared = prepare(set, training);
  TraineeOf<Han> trainee(prepared.model.han);
  Trainer trainer(runtime, trainee, prepared.train, prepared.validation, training.options);

  const fs::path checkpoint = folder / "last.safetensors";
  const fs::path log_path = folder / "log.jsonl";
  const std::string run = run_of(training, prepared);
  const bool goes_on = resume && fs::exists(checkpoint);
  require_value(goes_on || !is_used(folder), folder.string(),
                ": the folder is not empty and holds no last.safetensors to resume from");
  // The checkpoint first: wherever a run is interrupted, it can be resumed.
  if (goes_on) {
    load_checkpoint(checkpoint, trainee, trainer, run);
    if (trainer.finished()) {
      load_text_model(folder);  // says what is missing or damaged
      return outcome_of(trainer, true);
    }
  } else {
    make_folder(folder);
    save_checkpoint(checkpoint, trainee, trainer, run);
  }
  const fs::path parameters = folder / "model.safetensors";
  if (!fs::exists(parameters)) {
    require_value(
        trainer.position().best_epoch == 0, parameters.string(),
        ": is gone with the best epoch in it, expected it beside the checkpoint; train in "
        "a new folder");
    save_parameters(parameters, prepared.model.han);
  }
  save_description(folder, prepared.model);
  const std::string kept = log_until(log_path, trainer.position().epoch);
  Log log(log_path, kept);
  if (kept.empty()) log.add(start_line(prepared, trainer, training));

  const auto began = std::chrono::steady_clock::now();
  const auto seconds = [&began] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  };
  TrainingProgress state{.epochs = training.options.epochs};
  double epoch_began = 0;
  std::size_t epoch_words = 0;   // of this epoch, done by this process
  std::size_t words_before = 0;  // of this epoch, done before
  for (std::size_t b = 0; b < trainer.position().batch; ++b) {
    for (const std::size_t item : trainer.batches()[b]) {
      words_before += prepared.train.documents[item].words.size();
    }
  }
  while (!trainer.finished()) {
    const std::size_t epoch = trainer.position().epoch + 1;
    trainer.advance();
    epoch_words += trainer.last_words();
    state.epoch = epoch;
    state.words_done += trainer.last_words();
    state.words_left =
        (training.options.epochs - epoch + 1) * trainer.words() - (words_before + epoch_words);
    state.seconds = seconds();
    const Trainer::Position& at = trainer.position();
    if (at.loss_count > 0) state.loss = at.loss_sum / static_cast<double>(at.loss_count);
    state.ended = trainer.epoch_ended() ? &trainer.last_epoch() : nullptr;
    if (trainer.epoch_ended()) {
      if (trainer.last_epoch().improved) {
        save_parameters(parameters, prepared.model.han);
      }
      log.add(epoch_line(trainer, prepared, seconds() - epoch_began, epoch_words));
      epoch_began = seconds();
      epoch_words = 0;
      words_before = 0;
    }
    // The end of the run is recorded behind its last line, so that no line is ever missing.
    if (trainer.finished()) {
      log.add(Json::object()
                  .set("event", "end")
                  .set("epochs", at.epoch)
                  .set("best_epoch", at.best_epoch)
                  .set("best", std::isfinite(at.best) ? Json(at.best) : Json())
                  .set("skipped_steps", at.skipped)
                  .set("seconds", seconds()));
    }
    if (trainer.epoch_ended() || at.step % checkpoint_steps == 0) {
      save_checkpoint(checkpoint, trainee, trainer, run);
    }
    if (progress) progress(state);
  }
  return outcome_of(trainer, false);
}

}  // namespace padless
