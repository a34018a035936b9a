#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "padless/io/json.h"
#include "padless/models/transformer_encoder.h"

namespace padless {

/// Adds a member for each number of an encoder to `to`, an object: as config.json, a run's name and
/// `padless info` give them. `recompute` decides no bit and is not among them.
void write_config(const TransformerEncoderConfig& config, Json& to);
/// Reads them from config.json. Throws FormatError.
TransformerEncoderConfig read_encoder_config(const JsonView& config);

/// The values of a choice and their names in config.json and on the command line.
template <class Value>
using Names = std::vector<std::pair<Value, std::string_view>>;

PADLESS_API const Names<Activation>& activation_names();
PADLESS_API const Names<NormKind>& norm_names();
PADLESS_API const Names<NormPlace>& norm_place_names();
PADLESS_API const Names<Positions>& position_names();
/// Of those that give a text one row.
PADLESS_API const Names<EncoderPooling>& pooling_names();

template <class Value>
std::string_view name_of(const Names<Value>& names, Value value) {
  const auto found = std::ranges::find(names, value, &std::pair<Value, std::string_view>::first);
  return found == names.end() ? std::string_view("none of these") : found->second;
}

}  // namespace padless
