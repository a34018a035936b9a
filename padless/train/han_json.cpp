#include "padless/train/han_json.h"

#include "padless/layers/checks.h"
#include "padless/text/vocabulary.h"

namespace padless {

void write_config(const HanConfig& config, Json& to) {
  to.set("vocabulary", config.vocabulary)
      .set("outputs", config.outputs)
      .set("embedding", config.embedding)
      .set("word_hidden", config.word_hidden)
      .set("word_attention", config.word_attention)
      .set("sentence_hidden", config.sentence_hidden)
      .set("sentence_attention", config.sentence_attention)
      .set("dropout", config.dropout)
      .set("gru", config.reset == GruReset::after ? "reset_after" : "reset_before");
}

HanConfig read_han_config(const JsonView& config) {
  HanConfig han;
  han.vocabulary = config.at("vocabulary").as_size(1, Vocabulary::kMaxSize);
  han.outputs = config.at("outputs").as_size(1, kMostUnits);
  han.embedding = config.at("embedding").as_size(1, kMostUnits);
  han.word_hidden = config.at("word_hidden").as_size(1, kMostUnits);
  han.word_attention = config.at("word_attention").as_size(1, kMostUnits);
  han.sentence_hidden = config.at("sentence_hidden").as_size(1, kMostUnits);
  han.sentence_attention = config.at("sentence_attention").as_size(1, kMostUnits);
  han.dropout = config.at("dropout").as_float();
  const JsonView reset = config.at("gru");
  if (reset.as_string() == "reset_before") {
    han.reset = GruReset::before;
  } else if (reset.as_string() != "reset_after") {
    reset.fail("\"reset_after\" or \"reset_before\"");
  }
  return han;
}

}  // namespace padless
