#include "padless/cli/training_log.h"

#include "padless/io/json.h"
#include "padless/io/text_reader.h"

namespace padless::cli {
namespace {

std::optional<double> number_at(const JsonView& line, std::string_view key) {
  const std::optional<JsonView> found = line.find(key);
  if (!found || found->value().is_null()) return std::nullopt;
  return found->as_double();
}

void read_start(const JsonView& line, TrainingLog& log) {
  log.texts = line.at("texts").as_size();
  log.validation_texts = line.at("validation_texts").as_size();
  log.validation_labels_unseen = line.at("validation_labels_unseen").as_size();
  log.words = line.at("words").as_size();
  log.words_cut = line.at("words_cut").as_size();
  log.vocabulary = line.at("vocabulary").as_size();
  log.parameters = line.at("parameters").as_double();
  if (const auto warning = line.find("warning")) log.warning = warning->as_string();
  if (const auto labels = line.find("labels")) log.labels = labels->as_size();
}

TrainingLog::Epoch read_epoch(const JsonView& line) {
  return {.number = line.at("epoch").as_size(),
          .loss = number_at(line, "loss"),
          .accuracy = number_at(line, "accuracy"),
          .macro_f1 = number_at(line, "macro_f1"),
          .mean_average_precision = number_at(line, "mean_average_precision"),
          .micro_f1 = number_at(line, "micro_f1"),
          .subset_accuracy = number_at(line, "subset_accuracy"),
          .mae = number_at(line, "mae"),
          .r2 = number_at(line, "r2"),
          .spearman = number_at(line, "spearman"),
          .best = line.at("best").as_bool(),
          .words_per_second = line.at("words_per_second").as_double()};
}

TrainingLog::End read_end(const JsonView& line) {
  return {.epochs = line.at("epochs").as_size(),
          .best_epoch = line.at("best_epoch").as_size(),
          .skipped_steps = line.at("skipped_steps").as_size()};
}

}  // namespace

TrainingLog read_training_log(const std::filesystem::path& path) {
  TrainingLog log;
  TextReader lines(path);
  for (std::string text; lines.next(text);) {
    const JsonDocument document = JsonDocument::parse(text, lines.where());
    const JsonView line = document.root();
    const JsonView event = line.at("event");
    if (event.as_string() == "start") {
      read_start(line, log);
    } else if (event.as_string() == "epoch") {
      log.epochs.push_back(read_epoch(line));
    } else if (event.as_string() == "end") {
      log.end = read_end(line);
    } else {
      event.fail("start, epoch or end");
    }
  }
  return log;
}

}  // namespace padless::cli
