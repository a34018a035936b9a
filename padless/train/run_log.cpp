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

}  // namespace

RunLog::RunLog(fs::path path, std::size_t epochs) : path_(std::move(path)) {
  const std::string kept = log_until(path_, epochs);
  is_new_ = kept.empty();
  write_file(path_, kept);
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

}  // namespace padless
