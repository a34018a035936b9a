#include "padless/cli/prediction.h"

#include <algorithm>
#include <cmath>

#include "padless/core/error.h"

namespace padless::cli {

Json to_json(const TextPrediction& prediction, const TextModel& model) {
  Json line = Json::object();
  if (!model.classifies()) return line.set("value", prediction.value);
  // Built whole, because set() looks for the key among those there are.
  Json::Object scores;
  for (std::size_t label = 0; label < model.labels.size(); ++label) {
    scores.emplace_back(model.labels[label], prediction.scores[label]);
  }
  return line.set("label", model.labels[prediction.label]).set("scores", std::move(scores));
}

void require_finite(const TextPrediction& prediction, const std::string& where) {
  const bool finite =
      std::isfinite(prediction.value) &&
      std::ranges::all_of(prediction.scores, [](float score) { return std::isfinite(score); });
  if (finite) return;
  throw FormatError(where +
                    ": the model gives a number that is not finite, expected finite ones;"
                    " its model.safetensors is damaged");
}

}  // namespace padless::cli
