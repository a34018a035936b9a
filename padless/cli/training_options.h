// What `padless train` asks about the model and its training: the options, and what they come to.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "padless/cli/options.h"
#include "padless/train/text_training.h"

namespace padless::cli {

/// What was asked for of it, option by option.
struct TrainingOptions {
  std::size_t model = 0;  ///< of network_kinds()
  bool keep_case = false;
  HanConfig han;
  std::size_t reset = 0;  ///< after, before
  TransformerEncoderConfig encoder;
  std::optional<std::size_t> feed_forward;
  std::vector<std::pair<CLI::Option*, std::size_t>> own_options;  ///< and the kind that has them
  TextTraining training;
};

/// --model, a kind.
void add_kind(CLI::App& command, TrainingOptions& options);
/// Those about texts, the model and the run. `options` has to outlive the parsing.
void add_training_options(CLI::App& command, TrainingOptions& options);

/// What the options come to, once `command` is parsed. Throws UsageError for those that do not go
/// together, or with what is learnt.
TextTraining training_of(const TrainingOptions& options, const LearntOptions& learnt,
                         const CLI::App& command);

}  // namespace padless::cli
