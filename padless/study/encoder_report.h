#pragma once

#include <string>

#include "padless/io/json.h"
#include "padless/study/encoder_classification.h"
#include "padless/viz/page.h"

namespace padless::study {

/// What the encoders came to, in a sentence that the numbers decide.
std::string encoder_finding(const EncoderClassification& experiment);

/// The section of the encoders: table and pictures.
void describe_encoder(const EncoderClassification& experiment, viz::Blocks& blocks);

/// `classification_encoder` of study.json.
Json encoder_json(const EncoderClassification& experiment);

}  // namespace padless::study
