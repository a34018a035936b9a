// What one more word costs a decoder that remembers, by how many it has written: the cache keeps it
// from rising with the square.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <span>
#include <vector>

#include "padless/models/transformer_seq2seq.h"

namespace padless {
namespace {

constexpr std::int32_t kWords = 1000;

TransformerSeq2Seq model(std::size_t width, std::size_t heads, std::size_t feed_forward) {
  Rng rng(1);
  return TransformerSeq2Seq({.source_vocabulary = kWords,
                             .target_vocabulary = kWords,
                             .width = width,
                             .heads = heads,
                             .feed_forward = feed_forward,
                             .max_length = 2048,
                             .dropout = 0},
                            rng);
}

Segments one_sequence(std::size_t length) {
  return Segments::from_lengths(std::span<const std::size_t>(&length, 1));
}

std::vector<std::int32_t> words(std::size_t count) {
  std::vector<std::int32_t> ids(count);
  for (std::size_t i = 0; i < count; ++i) ids[i] = static_cast<std::int32_t>(i * 7 % kWords);
  return ids;
}

void next_word(benchmark::State& state) {
  const auto argument = [&](std::size_t i) { return static_cast<std::size_t>(state.range(i)); };
  const TransformerSeq2Seq seq2seq = model(argument(0), argument(1), argument(2));
  const std::size_t written = argument(3);
  Runtime runtime({.threads = 1});
  DecoderCache start = seq2seq.start(runtime, one_sequence(50), words(50));
  Matrix<float> scores(written, kWords);
  seq2seq.extend(runtime, one_sequence(written - 1), words(written - 1), start,
                 scores.view().rows_at(0, written - 1));
  // The cache's memory doubles now and then, and a copy is cold: a word beside what is timed.
  for (auto _ : state) {
    state.PauseTiming();
    DecoderCache cache = start;
    seq2seq.extend(runtime, one_sequence(1), words(1), cache, scores.view().rows_at(0, 1));
    state.ResumeTiming();
    seq2seq.extend(runtime, one_sequence(1), words(1), cache, scores.view().rows_at(0, 1));
  }
}

// The default sizes, larger ones, and the widths of the paper's base model.
BENCHMARK(next_word)
    ->ArgNames({"width", "heads", "feed_forward", "written"})
    ->ArgsProduct({{64}, {4}, {256}, {100, 500, 1000}})
    ->ArgsProduct({{256}, {4}, {1024}, {100, 500, 1000}})
    ->ArgsProduct({{512}, {8}, {2048}, {100, 500, 1000}})
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace padless
