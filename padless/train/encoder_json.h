#pragma once

#include "padless/core/export.h"
#include "padless/io/json.h"
#include "padless/models/transformer_encoder.h"
#include "padless/train/names.h"

namespace padless {

/// Adds a member for each number of an encoder to `to`, an object: as config.json, a run's name and
/// `padless info` give them. `recompute` decides no bit and is not among them.
void write_config(const TransformerEncoderConfig& config, Json& to);
/// Reads them from config.json. Throws FormatError.
TransformerEncoderConfig read_encoder_config(const JsonView& config);

PADLESS_API const Names<Activation>& activation_names();
PADLESS_API const Names<NormKind>& norm_names();
PADLESS_API const Names<NormPlace>& norm_place_names();
PADLESS_API const Names<Positions>& position_names();
/// Of those that give a text one row.
PADLESS_API const Names<EncoderPooling>& pooling_names();

}  // namespace padless
