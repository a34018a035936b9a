#include "padless/train/encoder_json.h"

#include "padless/layers/checks.h"
#include "padless/text/vocabulary.h"
#include "padless/train/encoder_names.h"
#include "padless/train/read_name.h"

namespace padless {

void write_config(const TransformerEncoderConfig& config, Json& to) {
  to.set("vocabulary", config.vocabulary)
      .set("outputs", config.outputs)
      .set("width", config.width)
      .set("layers", config.layers)
      .set("heads", config.heads)
      .set("key_heads", config.key_heads)
      .set("head_width", config.head_width)
      .set("feed_forward", config.feed_forward)
      .set("activation", name_of(activation_names(), config.activation))
      .set("gated", config.gated)
      .set("norm", name_of(norm_names(), config.norm))
      .set("norm_place", name_of(norm_place_names(), config.norm_place))
      .set("positions", name_of(position_names(), config.positions))
      .set("max_length", config.max_length)
      .set("pooling", name_of(pooling_names(), config.pooling))
      .set("pooling_attention", config.pooling_attention)
      .set("dropout", config.dropout)
      .set("share_layers", config.share_layers)
      .set("frozen_blocks", config.frozen_blocks)
      .set("frozen_embeddings", config.frozen_embeddings);
}

TransformerEncoderConfig read_encoder_config(const JsonView& config) {
  TransformerEncoderConfig encoder;
  encoder.vocabulary = config.at("vocabulary").as_size(1, Vocabulary::kMaxSize);
  encoder.outputs = config.at("outputs").as_size(1, kMostUnits);
  encoder.width = config.at("width").as_size(1, kMostUnits);
  encoder.layers = config.at("layers").as_size(1, kMostUnits);
  encoder.heads = config.at("heads").as_size(1, kMostUnits);
  encoder.key_heads = config.at("key_heads").as_size(0, kMostUnits);
  encoder.head_width = config.at("head_width").as_size(0, kMostUnits);
  encoder.feed_forward = config.at("feed_forward").as_size(1, kMostUnits);
  encoder.activation = read_name(config.at("activation"), activation_names());
  encoder.gated = config.at("gated").as_bool();
  encoder.norm = read_name(config.at("norm"), norm_names());
  encoder.norm_place = read_name(config.at("norm_place"), norm_place_names());
  encoder.positions = read_name(config.at("positions"), position_names());
  encoder.max_length = config.at("max_length").as_size(1, kMostUnits);
  encoder.pooling = read_name(config.at("pooling"), pooling_names());
  encoder.pooling_attention = config.at("pooling_attention").as_size(1, kMostUnits);
  encoder.dropout = config.at("dropout").as_float();
  encoder.share_layers = config.at("share_layers").as_bool();
  encoder.frozen_blocks = config.at("frozen_blocks").as_size(0, kMostUnits);
  encoder.frozen_embeddings = config.at("frozen_embeddings").as_bool();
  return encoder;
}

}  // namespace padless
