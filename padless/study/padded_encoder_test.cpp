#include "padless/study/padded_encoder.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "padless/core/rng.h"
#include "padless/testing/bits.h"

namespace padless::study {
namespace {

using testing::expect_same_bits;

constexpr std::size_t kWords = 11;  // and PAD

TransformerEncoder encoder() {
  TransformerEncoderConfig config;
  config.vocabulary = kWords + 1;
  config.outputs = 3;
  config.width = 8;
  config.heads = 2;
  config.feed_forward = 16;
  config.max_length = 12;
  config.dropout = 0.25f;
  Rng rng(3);
  return {config, rng};
}

// Documents of so many words, each in one sentence.
NestedSegments documents(const std::vector<std::size_t>& lengths) {
  const std::vector<std::size_t> ones(lengths.size(), 1);
  return {Segments::from_lengths(std::span<const std::size_t>(ones)),
          Segments::from_lengths(std::span<const std::size_t>(lengths))};
}

std::vector<std::int32_t> some_ids(std::size_t count) {
  std::vector<std::int32_t> ids(count);
  for (std::size_t i = 0; i < count; ++i) ids[i] = static_cast<std::int32_t>(i * 7 % kWords);
  return ids;
}

struct Result {
  Matrix<float> scores;
  std::vector<std::vector<float>> gradients;
};

// Forward and backward in training.
template <class Model>
Result run(Model model, const NestedSegments& texts) {
  Runtime runtime;
  std::vector<std::uint64_t> numbers(texts.documents().count());
  for (std::size_t d = 0; d < numbers.size(); ++d) numbers[d] = 5 * d;
  const NestedPass pass(texts, 1, 2, 4, numbers);
  const std::vector<std::int32_t> ids = some_ids(texts.sentences().total());
  Result result{Matrix<float>(texts.documents().count(), 3), {}};
  Matrix<float> d_scores(result.scores.rows(), 3);
  for (std::size_t i = 0; i < d_scores.cells().size(); ++i) {
    d_scores.cells()[i] = 0.1f * static_cast<float>(i % 5) - 0.2f;
  }
  typename Model::Saved saved;
  model.forward(runtime, pass, ids, result.scores.view(), saved);
  model.backward(runtime, pass, d_scores.view(), ids, saved);
  model.for_each_parameter([&result](const std::string&, Parameter& parameter) {
    const std::span<const float> cells = parameter.gradient.cells();
    result.gradients.emplace_back(cells.begin(), cells.end());
  });
  return result;
}

TEST(PaddedEncoder, IsTheEncoderBitForBitWhereNothingIsPadded) {
  const NestedSegments even = documents({4, 4, 4});
  const Result exact = run(encoder(), even), padded = run(PaddedEncoder(encoder()), even);
  expect_same_bits(padded.scores.cells(), exact.scores.cells());
  ASSERT_EQ(padded.gradients.size(), exact.gradients.size());
  for (std::size_t i = 0; i < exact.gradients.size(); ++i) {
    expect_same_bits(padded.gradients[i], exact.gradients[i], "gradient " + std::to_string(i));
  }
}

TEST(PaddedEncoder, IsTheEncoderOfTextsThatEndInPadsWhereSomethingIs) {
  Runtime runtime;
  const TransformerEncoder exact = encoder();
  const PaddedEncoder padded(encoder());
  const std::vector<std::int32_t> ids = {1, 2, 3, 4, 5};
  const std::int32_t pad = padded.pad();
  const std::vector<std::int32_t> filled = {1, 2, 3, 4, pad, pad, 5, pad, pad};
  Matrix<float> found(3, 3), expected(3, 3);
  PaddedEncoder::Saved saved;
  padded.forward(runtime, NestedPass(documents({3, 1, 1})), ids, found.view(), saved);
  TransformerEncoder::Saved exact_saved;
  exact.forward(runtime, NestedPass(documents({3, 3, 3})), filled, expected.view(), exact_saved);
  expect_same_bits(found.cells(), expected.cells());

  Matrix<float> alone(1, 3);
  padded.forward(runtime, NestedPass(documents({1})), std::span(ids).subspan(3, 1), alone.view(),
                 saved);
  EXPECT_NE(testing::bits(alone(0, 0)), testing::bits(found(1, 0)));
}

}  // namespace
}  // namespace padless::study
