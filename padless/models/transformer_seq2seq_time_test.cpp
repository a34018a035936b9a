#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <limits>
#include <span>
#include <vector>

#include "padless/models/transformer_seq2seq.h"

namespace padless {
namespace {

Segments one_sequence(std::size_t length) {
  return Segments::from_lengths(std::span<const std::size_t>(&length, 1));
}

// Without a cache token 500 would cost five times token 100. The processor's time of this process,
// the least of many: other programs do not count.
TEST(TransformerSeq2Seq, Token500CostsLittleMoreThanToken100) {
  Rng rng(1);
  const TransformerSeq2Seq model({.source_vocabulary = 10,
                                  .target_vocabulary = 100,
                                  .width = 256,
                                  .heads = 4,
                                  .feed_forward = 1024,
                                  .max_length = 600,
                                  .dropout = 0},
                                 rng);
  Runtime runtime;
  const std::vector<std::int32_t> source(20, 3);
  const std::vector<std::int32_t> word = {5};
  Matrix<float> scores(1, 100);
  std::clock_t at_100 = std::numeric_limits<std::clock_t>::max(), at_500 = at_100;
  for (int round = 0; round < 3; ++round) {
    DecoderCache cache = model.start(runtime, one_sequence(20), source);
    for (std::size_t token = 0; token < 520; ++token) {
      const std::clock_t before = std::clock();
      model.extend(runtime, one_sequence(1), word, cache, scores.view());
      const std::clock_t spent = std::clock() - before;
      if (token >= 90 && token < 110) at_100 = std::min(at_100, spent);
      if (token >= 490 && token < 510) at_500 = std::min(at_500, spent);
    }
  }
  EXPECT_LE(2 * at_500, 3 * at_100) << at_100 << " and " << at_500 << " ticks";
}

}  // namespace
}  // namespace padless
