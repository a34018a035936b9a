// What `padless evaluate` says: how good a model is, for machines and for people.
#pragma once

#include <iosfwd>

#include "padless/io/json.h"
#include "padless/train/metrics.h"
#include "padless/train/text_model.h"

namespace padless::cli {

/// The metrics as an object; of classes and labels, which are the model's, with a member for each.
Json to_json(const ClassificationMetrics& metrics, const TextModel& model);
Json to_json(const LabelMetrics& metrics, const TextModel& model);
Json to_json(const RegressionMetrics& metrics, const TextModel& model);

/// The same as lines of text; of classes and labels with a table.
void print(std::ostream& out, const ClassificationMetrics& metrics, const TextModel& model);
void print(std::ostream& out, const LabelMetrics& metrics, const TextModel& model);
void print(std::ostream& out, const RegressionMetrics& metrics, const TextModel& model);

}  // namespace padless::cli
