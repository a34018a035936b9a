// What an encoder's head can be taught beside one class or a number: several labels for a text, and
// a class for each word.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "padless/batch/nested_pass.h"
#include "padless/core/rng.h"
#include "padless/models/transformer_encoder.h"
#include "padless/ops/binary_cross_entropy.h"
#include "padless/ops/softmax_cross_entropy.h"
#include "padless/train/optimizer.h"

namespace padless {
namespace {

constexpr std::size_t kWords = 12, kOutputs = 3, kTexts = 32;

TransformerEncoderConfig config_of(EncoderPooling pooling) {
  return {.vocabulary = kWords,
          .outputs = kOutputs,
          .width = 16,
          .layers = 1,
          .heads = 2,
          .feed_forward = 32,
          .max_length = 16,
          .pooling = pooling,
          .dropout = 0};
}

/// Texts of 1 to 8 words of one sentence each.
struct Batch {
  NestedSegments nested;
  std::vector<std::int32_t> ids;
  std::vector<std::uint64_t> numbers;

  explicit Batch(Rng& rng) {
    std::vector<std::size_t> lengths(kTexts);
    for (std::size_t d = 0; d < kTexts; ++d) {
      lengths[d] = 1 + rng.below(8);
      numbers.push_back(d);
      for (std::size_t i = 0; i < lengths[d]; ++i) {
        ids.push_back(static_cast<std::int32_t>(rng.below(kWords)));
      }
    }
    const std::vector<std::size_t> one_each(kTexts, 1);
    nested = NestedSegments(Segments::from_lengths(std::span<const std::size_t>(one_each)),
                            Segments::from_lengths(std::span<const std::size_t>(lengths)));
  }
};

/// Trains a model by what `loss_gradient(runtime, pass, batch, scores, d_scores)` says.
template <class LossGradient>
TransformerEncoder trained(EncoderPooling pooling, std::uint32_t steps,
                           LossGradient loss_gradient) {
  Rng rng(1);
  TransformerEncoder model(config_of(pooling), rng);
  std::vector<Parameter*> parameters;
  model.for_each_parameter([&](const auto&, Parameter& p) { parameters.push_back(&p); });
  AdamW optimizer({.decay = 0}, parameters);
  Runtime runtime;
  for (std::uint32_t step = 0; step < steps; ++step) {
    const Batch batch(rng);
    const NestedPass pass(batch.nested, 1, step, 8, batch.numbers);
    const Arena::Scope scope(runtime.arena());
    const std::size_t rows = pooling == EncoderPooling::per_token ? batch.ids.size() : kTexts;
    const MatrixView<float> scores = runtime.arena().matrix(rows, kOutputs);
    const MatrixView<float> d_scores = runtime.arena().matrix(rows, kOutputs);
    TransformerEncoder::Saved saved;
    model.forward(runtime, pass, batch.ids, scores, saved);
    loss_gradient(runtime, pass, batch, scores, d_scores);
    model.backward(runtime, pass, d_scores, batch.ids, saved);
    optimizer.step(runtime, parameters, 5e-3f, 1.0);
  }
  return model;
}

Matrix<float> scores_of(const TransformerEncoder& model, const Batch& batch, std::size_t rows) {
  Runtime runtime;
  Matrix<float> scores(rows, kOutputs);
  const Arena::Scope scope(runtime.arena());
  TransformerEncoder::Saved saved;
  model.forward(runtime, NestedPass(batch.nested), batch.ids, scores.view(), saved);
  return scores;
}

/// Label k of a text: whether word k occurs in it.
Matrix<std::int32_t> labels_of(const Batch& batch) {
  Matrix<std::int32_t> labels(kTexts, kOutputs);
  for (std::size_t d = 0; d < kTexts; ++d) {
    const auto [begin, end] = batch.nested.words()[d];
    for (std::size_t t = begin; t < end; ++t) {
      if (batch.ids[t] < static_cast<std::int32_t>(kOutputs)) {
        labels(d, static_cast<std::size_t>(batch.ids[t])) = 1;
      }
    }
  }
  return labels;
}

TEST(EncoderHeads, LearnsSeveralLabelsOfAText) {
  const TransformerEncoder model =
      trained(EncoderPooling::max, 300,
              [](Runtime& runtime, const NestedPass& pass, const Batch& batch,
                 MatrixView<const float> scores, MatrixView<float> d_scores) {
                const Matrix<std::int32_t> labels = labels_of(batch);
                binary_cross_entropy_backward(runtime, pass.documents(), scores, labels.view(), {},
                                              1.0f / (kTexts * kOutputs), d_scores);
              });
  Rng rng(99);
  std::size_t right = 0, all = 0;
  for (int round = 0; round < 10; ++round) {
    const Batch batch(rng);
    const Matrix<std::int32_t> labels = labels_of(batch);
    const Matrix<float> scores = scores_of(model, batch, kTexts);
    for (std::size_t i = 0; i < labels.cells().size(); ++i, ++all) {
      right += (scores.cells()[i] > 0) == (labels.cells()[i] == 1) ? 1 : 0;
    }
  }
  EXPECT_GE(right, all * 99 / 100) << right << " of " << all;
}

/// The class of every word but the first, which is left out: the first word modulo 3. A word has to
/// look at another to know it.
std::vector<std::int32_t> classes_of(const Batch& batch) {
  std::vector<std::int32_t> classes(batch.ids.size(), kIgnored);
  for (std::size_t d = 0; d < kTexts; ++d) {
    const auto [begin, end] = batch.nested.words()[d];
    for (std::size_t t = begin + 1; t < end; ++t) classes[t] = batch.ids[begin] % 3;
  }
  return classes;
}

TEST(EncoderHeads, LearnsAClassOfEachWord) {
  const TransformerEncoder model =
      trained(EncoderPooling::per_token, 500,
              [](Runtime& runtime, const NestedPass& pass, const Batch& batch,
                 MatrixView<const float> scores, MatrixView<float> d_scores) {
                const std::vector<std::int32_t> classes = classes_of(batch);
                const LossSum loss = softmax_cross_entropy_forward(runtime, pass.words(), scores,
                                                                   classes, {}, d_scores);
                softmax_cross_entropy_backward(runtime, pass.words(), d_scores, classes, {},
                                               1.0f / static_cast<float>(loss.count), d_scores);
              });
  Rng rng(99);
  std::size_t right = 0, all = 0;
  for (int round = 0; round < 10; ++round) {
    const Batch batch(rng);
    const std::vector<std::int32_t> classes = classes_of(batch);
    const Matrix<float> scores = scores_of(model, batch, batch.ids.size());
    for (std::size_t t = 0; t < classes.size(); ++t) {
      if (classes[t] == kIgnored) continue;
      const auto row = scores.row(t);
      right += std::ranges::max_element(row) - row.begin() == classes[t] ? 1 : 0;
      ++all;
    }
  }
  EXPECT_GE(right, all * 99 / 100) << right << " of " << all;
}

}  // namespace
}  // namespace padless
