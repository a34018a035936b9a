#include "padless/models/han_config.h"

#include "padless/core/error.h"
#include "padless/ops/dropout.h"

namespace padless {

void HanConfig::check() const {
  constexpr std::size_t kMostUnits = std::size_t{1} << 24;
  constexpr std::size_t kMostWords = std::size_t{1} << 31;
  constexpr double kMostParameters = 8589934592.0;  // 2^33
  const auto size = [](const char* name, std::size_t value, std::size_t most) {
    require_value(value >= 1 && value <= most, "HAN: ", name, " is ", value, ", expected 1 to ",
                  most);
  };
  size("vocabulary", vocabulary, kMostWords);
  size("outputs", outputs, kMostUnits);
  size("embedding", embedding, kMostUnits);
  size("word_hidden", word_hidden, kMostUnits);
  size("word_attention", word_attention, kMostUnits);
  size("sentence_hidden", sentence_hidden, kMostUnits);
  size("sentence_attention", sentence_attention, kMostUnits);
  require_value(dropout >= 0 && dropout <= kMostDropout, "HAN: dropout is ", dropout,
                ", expected 0 to 65535/65536");
  require_value(parameters() <= kMostParameters, "HAN: these sizes make ", parameters(),
                " parameters, expected at most ", kMostParameters);
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
