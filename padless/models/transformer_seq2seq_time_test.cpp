#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <iostream>
#include <limits>
#include <span>
#include <vector>

#include "padless/models/transformer_seq2seq.h"

namespace padless {
namespace {

Segments one_sequence(std::size_t length) {
  return Segments::from_lengths(std::span<const std::size_t>(&length, 1));
}

/// The ratio of what token 500 and token 100 cost. The processor's time of this process, ten tokens
/// together because a tick is a microsecond, the least of many: other programs count little.
double cost_of_token_500(std::size_t width, std::size_t heads, std::size_t feed_forward) {
  Rng rng(1);
  const TransformerSeq2Seq model({.source_vocabulary = 10,
                                  .target_vocabulary = 100,
                                  .width = width,
                                  .heads = heads,
                                  .feed_forward = feed_forward,
                                  .max_length = 600,
                                  .dropout = 0},
                                 rng);
  Runtime runtime({.threads = 1});
  const std::vector<std::int32_t> source(20, 3), words(485, 5), word = {5};
  Matrix<float> all_scores(words.size(), 100), scores(1, 100);
  const auto start = [&](std::size_t first) {
    DecoderCache cache = model.start(runtime, one_sequence(20), source);
    model.extend(runtime, one_sequence(first), std::span(words).first(first), cache,
                 all_scores.view().rows_at(0, first));
    return cache;
  };
  const auto least_cost = [&](DecoderCache cache, std::clock_t least) {
    for (std::size_t run = 0; run < 3; ++run) {
      const std::clock_t before = std::clock();
      for (std::size_t token = 0; token < 10; ++token) {
        model.extend(runtime, one_sequence(1), word, cache, scores.view());
      }
      least = std::min(least, std::clock() - before);
    }
    return least;
  };
  const DecoderCache of_85 = start(85), of_485 = start(485);
  std::clock_t at_100 = std::numeric_limits<std::clock_t>::max(), at_500 = at_100;
  // In turn: what else the machine does is then likely the same for both.
  for (int turn = 0; turn < 25; ++turn) {
    at_100 = least_cost(of_85, at_100);
    at_500 = least_cost(of_485, at_500);
  }
  const auto microseconds_a_word = [](std::clock_t ten) {
    return 1e6 * static_cast<double>(ten) / 10 / CLOCKS_PER_SEC;
  };
  std::cout << "width " << width << ": " << microseconds_a_word(at_100) << " us after 100 words, "
            << microseconds_a_word(at_500) << " us after 500\n";
  return static_cast<double>(at_500) / static_cast<double>(at_100);
}

/// Up to five tries: a machine may be busy through a whole one, but no luck makes a slow decoder
/// fast.
double least_cost_of_token_500(std::size_t width, std::size_t heads, std::size_t feed_forward,
                               double enough) {
  double least = std::numeric_limits<double>::infinity();
  for (int attempt = 0; attempt < 5 && least > enough; ++attempt) {
    least = std::min(least, cost_of_token_500(width, heads, feed_forward));
  }
  return least;
}

// Without a cache token 500 would cost five times token 100. With one, what a token costs beside
// attention is constant, and attention is linear in the words before: the multiplications grow
// 1.1-fold in the first model, whose widths are those of the base model of "Attention is all you
// need", 1.2-fold in the second and 1.7-fold in the third, which has the default sizes. Measured on
// a busy AVX2 machine (November 2026): 1.2 to 1.3, 1.4 to 1.6, and 1.8 to 1.9; with queries in the
// lanes, as a whole sequence is computed, 3.1 in the third.
TEST(TransformerSeq2Seq, Token500CostsLittleMoreThanToken100) {
  EXPECT_LE(least_cost_of_token_500(512, 8, 2048, 1.5), 1.5);
  EXPECT_LE(least_cost_of_token_500(256, 4, 1024, 2.0), 2.0);
  EXPECT_LE(least_cost_of_token_500(64, 4, 256, 2.4), 2.4);
}

}  // namespace
}  // namespace padless
