// The names of an encoder's choices.
#pragma once

#include "padless/core/export.h"
#include "padless/models/transformer_encoder.h"
#include "padless/train/names.h"

namespace padless {

/// What is applied inside a feed-forward, by its name in config.json and on the command line; so
/// are the names below.
PADLESS_API const Names<Activation>& activation_names();
/// How rows are normalised.
PADLESS_API const Names<NormKind>& norm_names();
/// Where a block normalises.
PADLESS_API const Names<NormPlace>& norm_place_names();
/// How words know their order.
PADLESS_API const Names<Positions>& position_names();
/// How a text's words become the rows that are scored: all the ways there are.
PADLESS_API const Names<EncoderPooling>& pooling_names();
/// Of those alone that give a text one row: what a training of texts can choose from.
PADLESS_API const Names<EncoderPooling>& text_pooling_names();

}  // namespace padless
