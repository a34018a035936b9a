// How fast a text becomes ids, in bytes of text a second.
#include "padless/text/document.h"

#include <benchmark/benchmark.h>

#include <cstdint>
#include <random>
#include <string>

#include "padless/core/utf8.h"
#include "padless/text/vocabulary.h"

namespace padless {
namespace {

// Words of one to ten letters out of `alphabet`, twelve a sentence, each sentence with a capital.
std::string made_up_text(const std::u32string& small, const std::u32string& capital) {
  std::mt19937 random(1);
  std::string text;
  while (text.size() < 1'000'000) {
    for (int word = 0; word < 12; ++word) {
      const bool begins = word == 0;
      if (!begins) text += random() % 8 == 0 ? ", " : " ";
      for (std::size_t letter = random() % 10 + 1, first = letter; letter > 0; --letter) {
        append_utf8(text, (begins && letter == first ? capital : small)[random() % small.size()]);
      }
    }
    text += ". ";
  }
  return text;
}

void text_to_ids(benchmark::State& state, const std::string& text) {
  VocabularyBuilder builder;
  builder.add(Document(text, {}));
  const Vocabulary vocabulary = builder.build({.max_size = 30000});
  for (auto _ : state) benchmark::DoNotOptimize(look_up(Document(text, {}), vocabulary));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}

void english_letters(benchmark::State& state) {
  text_to_ids(state, made_up_text(U"eeetttaaooiinnsshhrrdlcumwfgypbvk",
                                  U"ETAOINSHRDLCUMWFGYPBVK"
                                  U"ETAOINSHRDL"));
}
BENCHMARK(english_letters);

void cyrillic_letters(benchmark::State& state) {
  text_to_ids(state, made_up_text(U"оеаинтсрвлкмдпуяыьгзбчйхжш", U"ОЕАИНТСРВЛКМДПУЯЫЬГЗБЧЙХЖШ"));
}
BENCHMARK(cyrillic_letters);

}  // namespace
}  // namespace padless
