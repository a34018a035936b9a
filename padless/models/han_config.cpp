#include "padless/models/han_config.h"

#include "padless/layers/checks.h"

namespace padless {

void HanConfig::check() const {
  constexpr const char* kName = "HAN";
  require_size(kName, "vocabulary", vocabulary, kMostWords);
  require_size(kName, "outputs", outputs);
  require_size(kName, "embedding", embedding);
  require_size(kName, "word_hidden", word_hidden);
  require_size(kName, "word_attention", word_attention);
  require_size(kName, "sentence_hidden", sentence_hidden);
  require_size(kName, "sentence_attention", sentence_attention);
  require_dropout(kName, dropout);
  require_parameters(kName, parameters());
}

double HanConfig::parameters() const {
  const auto wide = [](std::size_t value) { return static_cast<double>(value); };
  const auto gru = [&](std::size_t in, std::size_t hidden) {
    return 6 * wide(hidden) * (wide(in) + wide(hidden) + 2);
  };
  const auto attention = [&](std::size_t in, std::size_t units) {
    return wide(units) * (wide(in) + 2);
  };
  return wide(vocabulary) * wide(embedding) + gru(embedding, word_hidden) +
         attention(2 * word_hidden, word_attention) + gru(2 * word_hidden, sentence_hidden) +
         attention(2 * sentence_hidden, sentence_attention) +
         wide(outputs) * (2 * wide(sentence_hidden) + 1);
}

}  // namespace padless
