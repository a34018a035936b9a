#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "padless/io/json.h"
#include "padless/train/text_model.h"

namespace padless::cli {

/// --threshold.
void add_threshold(CLI::App& command, std::optional<float>& threshold);
/// What is asked for, else kLabelThreshold. Throws UsageError where it is asked of a model that
/// does not give several labels.
float threshold_of(const std::optional<float>& asked, const TextModel& model);

/// The names of the labels whose probability is above the threshold, of a model of several.
std::vector<std::string> labels_of(const TextPrediction& prediction, const TextModel& model,
                                   float threshold);

/// {"label", "scores": {label: score, ..}}, {"labels": [..], "scores"} or {"value"}. Numbers read
/// back to the same bits.
Json to_json(const TextPrediction& prediction, const TextModel& model, float threshold);

/// Throws FormatError, beginning with `where`, for numbers that JSON does not have: only a damaged
/// model gives them.
void require_finite(const TextPrediction& prediction, const std::string& where);

/// Counts the words that had no part in predictions because their texts are too long for the model.
class CutWords {
 public:
  void add(const TextPrediction& prediction);
  /// A line, where there are any.
  void tell(std::ostream& err) const;

 private:
  std::size_t words_ = 0, texts_ = 0;
};

}  // namespace padless::cli
