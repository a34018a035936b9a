#include "padless/cli/training_display.h"

#include <algorithm>
#include <cmath>
#include <ostream>

#include "padless/core/error.h"
#include "padless/viz/number.h"

namespace padless::cli {
namespace {

using viz::fixed;

// 3661 seconds are "1:01:01".
std::string clock_time(double seconds) {
  const auto whole = static_cast<std::size_t>(std::clamp(seconds, 0.0, 1e9));
  const auto two = [](std::size_t value) {
    return (value < 10 ? "0" : "") + std::to_string(value);
  };
  const std::size_t hours = whole / 3600, minutes = whole / 60 % 60;
  const std::string end = ":" + two(whole % 60);
  return hours > 0 ? message(hours, ":", two(minutes), end) : message(minutes, end);
}

double words_per_second(const TrainingProgress& progress) {
  return progress.seconds > 0 ? static_cast<double>(progress.words_done) / progress.seconds : 0;
}

std::string epoch_words(const TrainingLog::Epoch& epoch, std::size_t epochs, bool validates) {
  std::string validation = validation_words(epoch);
  if (validation.empty() && validates) validation = "validation not finite";
  return message("epoch ", epoch.number, "/", epochs, ": loss ",
                 epoch.loss ? fixed(*epoch.loss, 4) : "not finite",
                 validation.empty() ? "" : ", " + validation, ", ",
                 fixed(epoch.words_per_second, 0), " words/s",
                 epoch.best ? ", the best so far" : "");
}

std::string start_words(const TrainingLog& log) {
  std::string words =
      message("training on ", log.texts, " texts of ", log.words, " words together, validating on ",
              log.validation_texts, "; ", log.vocabulary, " words known, ",
              fixed(log.parameters, 0), " parameters");
  if (log.labels) words += message("; ", *log.labels, " labels");
  if (log.words_cut > 0) words += message("; ", log.words_cut, " words cut from long texts");
  if (log.warning) words += message("\n", *log.warning, " (--validation-share, --split)");
  return words;
}

}  // namespace

void TrainingDisplay::show(const TrainingProgress& progress) {
  if (!has_begun_) console_.err << start_words(read_training_log(log_)) << std::endl;
  has_begun_ = true;
  if (progress.ended != nullptr) {
    clear();
    const TrainingLog log = read_training_log(log_);
    // Somebody may have emptied the file meanwhile.
    if (!log.epochs.empty()) {
      console_.err << epoch_words(log.epochs.back(), progress.epochs, log.validation_texts > 0)
                   << std::endl;
    }
  } else if (console_.err_is_terminal) {
    draw_bar(progress);
  }
}

void TrainingDisplay::clear() {
  if (has_bar_) console_.err << "\r\x1b[K" << std::flush;
  has_bar_ = false;
}

void TrainingDisplay::draw_bar(const TrainingProgress& progress) {
  // Often enough to look alive, seldom enough to cost nothing.
  constexpr auto kPause = std::chrono::milliseconds(200);
  const auto now = std::chrono::steady_clock::now();
  if (has_bar_ && now - drawn_ < kPause) return;
  drawn_ = now;
  has_bar_ = true;

  const double rate = words_per_second(progress);
  const auto left = static_cast<double>(progress.words_left);
  const std::string words = message(" epoch ", progress.epoch, "/", progress.epochs, ", loss ",
                                    fixed(progress.loss, 4), ", ", fixed(rate, 0), " words/s, ",
                                    rate > 0 ? clock_time(left / rate) : "?", " left at most");
  // The share of what this process has to do: a resumed run begins at 0.
  const double all = static_cast<double>(progress.words_done) + left;
  const double share = all > 0 ? static_cast<double>(progress.words_done) / all : 1;
  const std::size_t room =
      console_.columns > words.size() + 3 ? console_.columns - words.size() - 3 : 0;
  const std::size_t width = std::min<std::size_t>(room, 30);
  const auto full = static_cast<std::size_t>(share * static_cast<double>(width));
  std::string bar =
      width == 0 ? "" : "[" + std::string(full, '#') + std::string(width - full, '.') + "]";
  bar += words;
  console_.err << '\r' << bar.substr(0, std::max<std::size_t>(1, console_.columns - 1)) << "\x1b[K"
               << std::flush;
}

std::string validation_words(const TrainingLog::Epoch& epoch) {
  if (epoch.accuracy && epoch.macro_f1) {
    return message("accuracy ", fixed(*epoch.accuracy, 4), ", macro-F1 ",
                   fixed(*epoch.macro_f1, 4));
  }
  if (epoch.mean_average_precision && epoch.micro_f1 && epoch.macro_f1 && epoch.subset_accuracy) {
    return message("mean average precision ", fixed(*epoch.mean_average_precision, 4),
                   ", micro-F1 ", fixed(*epoch.micro_f1, 4), ", macro-F1 ",
                   fixed(*epoch.macro_f1, 4), ", subset accuracy ",
                   fixed(*epoch.subset_accuracy, 4));
  }
  if (epoch.mae && epoch.r2 && epoch.spearman) {
    return message("mean absolute error ", fixed(*epoch.mae, 4), ", R2 ", fixed(*epoch.r2, 4),
                   ", Spearman ", fixed(*epoch.spearman, 4));
  }
  return "";
}

std::string summary_of(const std::filesystem::path& folder, const TrainingLog& log) {
  std::string text;
  if (log.end) {
    text += message(folder.string(), ": the model of epoch ", log.end->best_epoch, " (of ",
                    log.end->epochs, ")");
    for (const TrainingLog::Epoch& epoch : log.epochs) {
      const std::string words = validation_words(epoch);
      if (epoch.number != log.end->best_epoch || words.empty()) continue;
      text += message(": ", words, " on ", log.validation_texts, " validation texts");
    }
    text += '\n';
    if (log.end->skipped_steps > 0) {
      text += message(log.end->skipped_steps,
                      " steps were left out because a gradient was not finite; a smaller "
                      "--learning-rate may help\n");
    }
  }
  if (log.words_cut > 0) {
    text += message(log.words_cut, " words behind --max-words were cut from long texts\n");
  }
  if (log.validation_labels_unseen > 0) {
    text += message(log.validation_labels_unseen,
                    " validation texts have a label that no training text has; ",
                    log.labels ? "it counts as not found\n" : "they count as wrong\n");
  }
  return text;
}

}  // namespace padless::cli
