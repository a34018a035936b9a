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

TransformerSeq2Seq model() {
  Rng rng(1);
  return TransformerSeq2Seq({.source_vocabulary = kWords,
                             .target_vocabulary = kWords,
                             .width = 256,
                             .heads = 4,
                             .feed_forward = 1024,
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
  const TransformerSeq2Seq seq2seq = model();
  const auto written = static_cast<std::size_t>(state.range(0));
  Runtime runtime;
  DecoderCache start = seq2seq.start(runtime, one_sequence(50), words(50));
  Matrix<float> scores(written, kWords);
  seq2seq.extend(runtime, one_sequence(written - 1), words(written - 1), start,
                 scores.view().rows_at(0, written - 1));
  // The cache's memory doubles now and then: not in what is timed.
  seq2seq.extend(runtime, one_sequence(1), words(1), start, scores.view().rows_at(0, 1));
  for (auto _ : state) {
    state.PauseTiming();
    DecoderCache cache = start;
    state.ResumeTiming();
    seq2seq.extend(runtime, one_sequence(1), words(1), cache, scores.view().rows_at(0, 1));
  }
}

BENCHMARK(next_word)->Arg(100)->Arg(500)->Arg(1000)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace padless
