#include "padless/train/run_log.h"

#include <cmath>
#include <span>
#include <string>
#include <utility>

#include "padless/core/error.h"
#include "padless/io/atomic_file.h"

namespace padless {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostLog = std::size_t{1} << 30;

// With so many an accuracy of 0.8 has a standard error of 0.06: more than epochs differ.
constexpr std::size_t kFewValidationTexts = 50;

std::string few_validate(std::size_t count) {
  return message(count == 0
                     ? "no text validates: the best epoch is that of the least training loss"
                     : message("few texts validate, ", count, ": fewer than ", kFewValidationTexts,
                               ", chance has a part in which epoch is the best"),
                 "; give more texts, a larger share of them, or more rows of the split dev");
}

// JSON has no NaN and no infinity: of a training that diverges there is nothing to say.
Json finite_or_null(double number) { return std::isfinite(number) ? Json(number) : Json(); }

void add_metrics(const Trainer::EpochResult& result, const TextModel& model, Json& line) {
  const bool judged = std::isfinite(result.score);
  const auto number = [judged](double value) { return judged ? finite_or_null(value) : Json(); };
  if (model.answer == Answer::one_class) {
    line.set("accuracy", number(result.classes.accuracy))
        .set("macro_f1", number(result.classes.macro_f1));
  } else if (model.answer == Answer::several_labels) {
    line.set("mean_average_precision", number(result.labels.mean_average_precision))
        .set("micro_f1", number(result.labels.micro_f1))
        .set("macro_f1", number(result.labels.macro_f1))
        .set("subset_accuracy", number(result.labels.subset_accuracy));
  } else {
    line.set("mae", number(result.numbers.mae * model.target_scale))
        .set("r2", number(result.numbers.r2))
        .set("spearman", number(result.numbers.spearman));
  }
}

}  // namespace

RunLog::RunLog(fs::path path, const Trainer::Position& position) : path_(std::move(path)) {
  const std::string text = fs::exists(path_) ? read_file(path_, kMostLog) : "";
  // The lines up to where the checkpoint is. A process that was killed, or a machine, may have left
  // a part of a line behind them.
  std::size_t kept = 0;
  for (std::size_t end; !has_end_ && (end = text.find('\n', kept)) != std::string::npos;
       kept = end + 1) {
    try {
      const JsonDocument line = JsonDocument::parse(text.substr(kept, end - kept), path_.string());
      const auto epoch = line.root().find("epoch");
      const bool is_end = line.root().at("event").as_string() == "end";
      if ((is_end && !position.finished) || (epoch && epoch->as_size() > position.epoch)) break;
      has_end_ = is_end;
    } catch (const FormatError&) {
      break;
    }
  }
  is_new_ = kept == 0;
  if (kept < text.size()) write_file(path_, text.substr(0, kept));
}

void RunLog::add(const Json& line) { append_to_file(path_, line.compact() + "\n"); }

void write_choices(const TrainOptions& options, Json& to) {
  to.set("optimizer", name_of(optimizer_names(), options.optimizer));
  if (options.optimizer == OptimizerKind::sgd) {
    to.set("momentum", options.momentum).set("nesterov", options.nesterov);
  }
  to.set("schedule", name_of(schedule_names(), options.schedule.shape))
      .set("class_weights", name_of(class_weights_names(), options.class_weights));
}

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
  if (prepared.validation.size() < kFewValidationTexts) {
    line.set("warning", few_validate(prepared.validation.size()));
  }
  if (prepared.model.answer == Answer::several_labels) {
    line.set("labels", prepared.model.labels.size());
  }
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
  line.set("loss", finite_or_null(result.loss));
  if (prepared.validation.size() > 0) add_metrics(result, prepared.model, line);
  line.set("best", result.improved)
      .set("seconds", seconds)
      .set("words_per_second", seconds > 0 ? static_cast<double>(words) / seconds : 0.0);
  return line;
}

Json end_line(const Trainer& trainer, std::optional<double> seconds) {
  const Trainer::Position& at = trainer.position();
  return Json::object()
      .set("event", "end")
      .set("epochs", at.epoch)
      .set("best_epoch", at.best_epoch)
      .set("best", finite_or_null(at.best))
      .set("skipped_steps", at.skipped)
      .set("seconds", seconds ? Json(*seconds) : Json());
}

}  // namespace padless
