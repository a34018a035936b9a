#include "padless/study/padded_han.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "padless/study/attention_scorer.h"
#include "padless/testing/bits.h"

namespace padless::study {
namespace {

using testing::expect_same_bits;

HanConfig small() {
  HanConfig config{.vocabulary = 23, .outputs = 3};
  config.embedding = 5;
  config.word_hidden = 3;
  config.word_attention = 7;
  config.sentence_hidden = 4;
  config.sentence_attention = 6;
  config.dropout = 0.25f;
  return config;
}

NestedSegments nested(const std::vector<std::size_t>& documents,
                      const std::vector<std::size_t>& sentences) {
  return {Segments::from_lengths(std::span<const std::size_t>(documents)),
          Segments::from_lengths(std::span<const std::size_t>(sentences))};
}

std::vector<std::int32_t> some_ids(std::size_t count) {
  std::vector<std::int32_t> ids(count);
  for (std::size_t i = 0; i < count; ++i) ids[i] = static_cast<std::int32_t>(i * 7 % 23);
  return ids;
}

/// A HAN whose attention biases are not zero, so that PAD's score is not.
Han some_han() {
  Rng rng(5);
  Han han(small(), rng);
  han.for_each_parameter([&rng](const std::string& name, Parameter& parameter) {
    if (!name.ends_with("projection.bias")) return;
    for (float& cell : parameter.value.cells()) cell = static_cast<float>(rng.normal());
    ++parameter.version;
  });
  return han;
}

struct Result {
  Matrix<float> scores;
  std::vector<std::vector<float>> gradients;
};

// Forward and backward in training, as one step of many shards.
template <class Model>
Result run(Model model, const NestedSegments& documents) {
  Runtime runtime;
  std::vector<std::uint64_t> numbers(documents.documents().count());
  for (std::size_t d = 0; d < numbers.size(); ++d) numbers[d] = 10 * d;
  const NestedPass pass(documents, 3, 7, 4, numbers);
  const std::vector<std::int32_t> ids = some_ids(documents.sentences().total());
  Result result{Matrix<float>(documents.documents().count(), 3), {}};
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

TEST(PaddedHan, IsTheHanBitForBitWhereNothingIsPadded) {
  Han han = some_han();
  const NestedSegments even = nested({2, 2, 2}, {4, 4, 4, 4, 4, 4});
  const Result exact = run(han, even), padded = run(PaddedHan(han), even);
  expect_same_bits(padded.scores.cells(), exact.scores.cells());
  ASSERT_EQ(padded.gradients.size(), exact.gradients.size());
  for (std::size_t i = 0; i < exact.gradients.size(); ++i) {
    expect_same_bits(padded.gradients[i], exact.gradients[i], "gradient " + std::to_string(i));
  }
}

TEST(PaddedHan, IsAnotherModelWhereSomethingIsPadded) {
  Han han = some_han();
  const NestedSegments uneven_words = nested({2, 2}, {4, 4, 4, 1});
  const NestedSegments uneven_sentences = nested({3, 2}, {4, 4, 4, 4, 4});
  for (const NestedSegments& uneven : {uneven_words, uneven_sentences}) {
    const Result exact = run(han, uneven), padded = run(PaddedHan(han), uneven);
    EXPECT_GT(std::fabs(padded.scores(1, 0) - exact.scores(1, 0)), 1e-4);
  }
}

// Scores of the documents alone and together.
template <class Model>
Matrix<float> infer(const Model& model, const NestedSegments& documents,
                    std::span<const std::int32_t> ids, typename Model::Saved& saved,
                    Runtime& runtime) {
  Matrix<float> scores(documents.documents().count(), 3);
  model.forward(runtime, NestedPass(documents), ids, scores.view(), saved);
  return scores;
}

TEST(PaddedHan, SeesTheCompanyThatTheHanDoesNot) {
  Han han = some_han();
  const PaddedHan padded(han);
  const NestedSegments together = nested({1, 2}, {2, 5, 3}), alone = nested({1}, {2});
  const std::vector<std::int32_t> ids = some_ids(10);
  const std::span<const std::int32_t> first = std::span(ids).first(2);
  Runtime runtime;
  Han::Saved exact_saved;
  expect_same_bits(infer(han, together, ids, exact_saved, runtime).row(0),
                   infer(han, alone, first, exact_saved, runtime).row(0));
  PaddedHan::Saved saved;
  const Matrix<float> company = infer(padded, together, ids, saved, runtime);
  EXPECT_NE(testing::bits(company(0, 0)),
            testing::bits(infer(padded, alone, first, saved, runtime)(0, 0)));
}

TEST(PaddedHan, GivesPadsWhatTheTruthInDoubleSays) {
  Han han = some_han();
  PaddedHan padded(han);
  const NestedSegments documents = nested({1, 1}, {2, 5});
  Runtime runtime;
  PaddedHan::Saved saved;
  infer(padded, documents, some_ids(7), saved, runtime);

  const AttentionScorer scorer = attention_scorer(
      [&padded](const auto& visit) {
        padded.for_each_parameter(
            [&visit](const std::string& name, Parameter& p) { visit(name, p); });
      },
      "word_attention");
  const std::vector<double> scores = {scorer.score(saved.words.row(0)),
                                      scorer.score(saved.words.row(1))};
  double lost = 0;
  for (std::size_t t = 2; t < 5; ++t) {
    lost += static_cast<double>(saved.word_pool.weights[t]);
    EXPECT_EQ(testing::bits(saved.word_pool.weights[t]), testing::bits(saved.word_pool.weights[2]));
  }
  // Sums of 7 products of floats, an exponential and a division: a few dozen roundings of 2^-24.
  EXPECT_NEAR(lost, mass_lost(scores, scorer.pad_score(), 3), 64 * 0x1p-24);
  for (std::size_t c = 0; c < 6; ++c) {
    double pooled = 0;
    for (std::size_t t = 0; t < 2; ++t) {
      pooled +=
          static_cast<double>(saved.word_pool.weights[t]) * static_cast<double>(saved.words(t, c));
    }
    EXPECT_NEAR(saved.sentence_rows(0, c), pooled, 4 * 0x1p-24);
  }
}

TEST(PaddedHan, GradientsAreTheSlopesOfItsScores) {
  HanConfig config = small();
  config.dropout = 0;
  Rng rng(11);
  Han han(config, rng);
  PaddedHan model(han);
  const NestedSegments documents = nested({2, 1, 0, 3}, {4, 1, 2, 3, 2, 5});
  const std::vector<std::int32_t> ids = some_ids(17);
  const std::vector<std::uint64_t> numbers = {1, 2, 3, 4};
  const NestedPass pass(documents, 0, 0, 4, numbers);
  Runtime runtime;
  PaddedHan::Saved saved;
  Matrix<float> scores(4, 3), d_scores(4, 3);
  for (std::size_t i = 0; i < 12; ++i) {
    d_scores.cells()[i] = static_cast<float>(i % 5) - 1;
  }
  // The sum of the scores, each as often as its gradient says.
  const auto sum = [&] {
    const Arena::Scope scope(runtime.arena());
    model.forward(runtime, pass, ids, scores.view(), saved);
    double total = 0;
    for (std::size_t i = 0; i < 12; ++i) {
      total += static_cast<double>(scores.cells()[i]) * static_cast<double>(d_scores.cells()[i]);
    }
    return total;
  };
  model.forward(runtime, pass, ids, scores.view(), saved);
  model.backward(runtime, pass, d_scores.view(), ids, saved);

  model.for_each_parameter([&](const std::string& name, Parameter& parameter) {
    double length = 0;
    for (const float cell : parameter.gradient.cells()) length += std::pow(cell, 2);
    length = std::sqrt(length);
    ASSERT_GT(length, 0) << name;
    // Along its own gradient the sum rises by the gradient's length a step.
    const Matrix<float> start = parameter.value;
    const auto at = [&](double step) {
      for (std::size_t i = 0; i < start.cells().size(); ++i) {
        parameter.value.cells()[i] =
            start.cells()[i] + static_cast<float>(step * parameter.gradient.cells()[i] / length);
      }
      ++parameter.version;
      return sum();
    };
    constexpr double kStep = 1.0 / 32;
    const double slope =
        (8 * (at(kStep) - at(-kStep)) - (at(2 * kStep) - at(-2 * kStep))) / (12 * kStep);
    at(0);
    // The sum of 12 scores of size 1, each from a few hundred float operations, is off by some
    // 2^-20, over the step 2^-15; the difference quotient itself is off by the step's fourth power.
    EXPECT_NEAR(slope, length, 0x1p-15 * (1 + length)) << name;
  });
}

}  // namespace
}  // namespace padless::study
