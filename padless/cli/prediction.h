#pragma once

#include <string>

#include "padless/io/json.h"
#include "padless/train/text_model.h"

namespace padless::cli {

/// {"label", "scores": {label: score, ..}} or {"value"}. Numbers read back to the same bits.
Json to_json(const TextPrediction& prediction, const TextModel& model);

/// Throws FormatError, beginning with `where`, for numbers that JSON does not have: only a damaged
/// model gives them.
void require_finite(const TextPrediction& prediction, const std::string& where);

}  // namespace padless::cli
