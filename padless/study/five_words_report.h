#pragma once

#include "padless/io/json.h"
#include "padless/study/finding.h"
#include "padless/study/five_words.h"
#include "padless/viz/page.h"

namespace padless::study {

/// The five-word experiment's section: vectors, heatmaps, curves.
void describe_five_words(const FiveWords& experiment, viz::Blocks& blocks);

/// `five_words` of study.json.
Json five_words_json(const FiveWords& experiment);

/// S9: with the mask, training reaches a lower loss, accuracy nearly always rises, PAD is never
/// predicted and gradients are less noisy.
Finding masks_help_training(const FiveWords& experiment);

}  // namespace padless::study
