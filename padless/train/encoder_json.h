#pragma once

#include "padless/io/json.h"
#include "padless/models/transformer_encoder.h"

namespace padless {

/// Adds a member for each number of an encoder to `to`, an object: as config.json, a run's name and
/// `padless info` give them. `recompute` decides no bit and is not among them.
void write_config(const TransformerEncoderConfig& config, Json& to);
/// Reads them from config.json. Throws FormatError.
TransformerEncoderConfig read_encoder_config(const JsonView& config);

}  // namespace padless
