#pragma once

#include "padless/core/export.h"
#include "padless/models/transformer_encoder.h"
#include "padless/train/names.h"

namespace padless {

PADLESS_API const Names<Activation>& activation_names();
PADLESS_API const Names<NormKind>& norm_names();
PADLESS_API const Names<NormPlace>& norm_place_names();
PADLESS_API const Names<Positions>& position_names();
/// Of those that give a text one row.
PADLESS_API const Names<EncoderPooling>& pooling_names();

}  // namespace padless
