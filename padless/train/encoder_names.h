#pragma once

#include "padless/core/export.h"
#include "padless/models/transformer_encoder.h"
#include "padless/train/names.h"

namespace padless {

PADLESS_API const Names<Activation>& activation_names();
PADLESS_API const Names<NormKind>& norm_names();
PADLESS_API const Names<NormPlace>& norm_place_names();
PADLESS_API const Names<Positions>& position_names();
PADLESS_API const Names<EncoderPooling>& pooling_names();
/// Of those alone that give a text one row: what a training of texts can choose from.
PADLESS_API const Names<EncoderPooling>& text_pooling_names();

}  // namespace padless
