#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace padless::cli {

/// What a training's log.jsonl says.
struct TrainingLog {
  struct Epoch {
    std::size_t number = 0;
    std::optional<double> loss;  ///< none when every step was left out
    std::optional<double> accuracy, macro_f1;
    std::optional<double> mean_average_precision, micro_f1, subset_accuracy;
    std::optional<double> mae, r2, spearman;
    bool best = false;
    double words_per_second = 0;
  };
  struct End {
    std::size_t epochs = 0, best_epoch = 0, skipped_steps = 0;
  };

  std::size_t texts = 0, validation_texts = 0, validation_labels_unseen = 0;
  std::size_t words = 0, words_cut = 0, vocabulary = 0;
  std::optional<std::size_t> labels;  ///< how many there are, where a text has any number of them
  double parameters = 0;
  std::optional<std::string> warning;  ///< of what makes its results worth less
  std::vector<Epoch> epochs;
  std::optional<End> end;
};

/// Throws IoError, FormatError.
TrainingLog read_training_log(const std::filesystem::path& path);

}  // namespace padless::cli
