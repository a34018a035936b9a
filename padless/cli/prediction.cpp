#include "padless/cli/prediction.h"

#include <algorithm>
#include <cmath>
#include <ostream>

#include "padless/cli/options.h"
#include "padless/core/error.h"
#include "padless/train/scores.h"

namespace padless::cli {

void add_threshold(CLI::App& command, std::optional<float>& threshold) {
  add_number(command, "--threshold", threshold,
             "probability above which a label is said, of a model of several labels",
             NumberKind::share)
      ->default_str(Json(kLabelThreshold).compact());
}

float threshold_of(const std::optional<float>& asked, const TextModel& model) {
  if (asked && model.answer != Answer::several_labels) {
    throw UsageError(message("--threshold is given, and the model's answer is a ",
                             name_of(answer_names(), model.answer),
                             ", expected a model of several labels"));
  }
  return asked.value_or(kLabelThreshold);
}

std::vector<std::string> labels_of(const TextPrediction& prediction, const TextModel& model,
                                   float threshold) {
  const std::vector<std::int32_t> labels = labels_above(prediction.scores, threshold);
  std::vector<std::string> names;
  names.reserve(labels.size());
  for (const std::int32_t label : labels) {
    names.push_back(model.labels[static_cast<std::size_t>(label)]);
  }
  return names;
}

Json to_json(const TextPrediction& prediction, const TextModel& model, float threshold) {
  Json line = Json::object();
  if (model.answer == Answer::number) return line.set("value", prediction.value);
  // Built whole, because set() looks for the key among those there are.
  Json::Object scores;
  for (std::size_t label = 0; label < model.labels.size(); ++label) {
    scores.emplace_back(model.labels[label], prediction.scores[label]);
  }
  if (model.answer == Answer::several_labels) {
    line.set("labels", Json::array_of(labels_of(prediction, model, threshold)));
  } else {
    line.set("label", model.labels[prediction.label]);
  }
  return line.set("scores", std::move(scores));
}

void require_finite(const TextPrediction& prediction, const std::string& where) {
  const bool finite =
      std::isfinite(prediction.value) &&
      std::ranges::all_of(prediction.scores, [](float score) { return std::isfinite(score); });
  if (finite) return;
  throw FormatError(where +
                    ": the model gives a number that is not finite, expected finite ones; its"
                    " training may have diverged: train with a smaller --learning-rate");
}

void CutWords::add(const TextPrediction& prediction) {
  words_ += prediction.words_cut;
  if (prediction.words_cut > 0) ++texts_;
}

void CutWords::tell(std::ostream& err) const {
  if (words_ == 0) return;
  err << words_ << " words behind the model's --max-words were cut from " << texts_
      << " long texts\n";
}

}  // namespace padless::cli
