#pragma once

#include "padless/io/json.h"
#include "padless/models/han_config.h"

namespace padless {

/// The numbers that make a HAN, as config.json, a run's name and `padless info` give them: adds a
/// member for each to `to`, an object.
void write_config(const HanConfig& config, Json& to);
/// Reads them from config.json. Throws FormatError.
HanConfig read_han_config(const JsonView& config);

}  // namespace padless
