#include "padless/study/five_word_model.h"

#include <algorithm>

#include "padless/batch/nested.h"
#include "padless/batch/nested_pass.h"
#include "padless/ops/softmax_cross_entropy.h"
#include "padless/study/five_words.h"

namespace padless::study {
namespace {

constexpr float kLearningRate = 3e-3f;

TransformerEncoderConfig five_word_config() {
  TransformerEncoderConfig config;
  config.vocabulary = config.outputs = kFiveWords.size();
  config.width = 16;
  config.layers = 2;
  config.heads = 2;
  config.feed_forward = 32;
  config.max_length = 32;
  config.pooling = EncoderPooling::per_token;
  config.dropout = 0;
  return config;
}

TransformerEncoder first_values(std::uint64_t seed) {
  Rng rng(seed);
  return {five_word_config(), rng};
}

// Every sequence as a document of one sentence.
NestedSegments documents_of(const Segments& segs) {
  const std::vector<std::size_t> ones(segs.count(), 1);
  return {Segments::from_lengths(std::span<const std::size_t>(ones)), segs};
}

Matrix<float> copied(MatrixView<const float> view) {
  Matrix<float> out(view.rows(), view.cols());
  for (std::size_t r = 0; r < view.rows(); ++r) std::ranges::copy(view.row(r), out.row(r).begin());
  return out;
}

}  // namespace

FiveWordModel::FiveWordModel(std::uint64_t seed)
    : encoder_(first_values(seed)), optimizer_({}, all_parameters()) {}

std::vector<Parameter*> FiveWordModel::all_parameters() {
  std::vector<Parameter*> all;
  encoder_.for_each_parameter(
      [&all](const std::string&, Parameter& parameter) { all.push_back(&parameter); });
  return all;
}

Matrix<float> FiveWordModel::vectors(Runtime& runtime, const Segments& segs,
                                     std::span<const std::int32_t> ids) const {
  const Arena::Scope scope(runtime.arena());
  Matrix<float> rows(ids.size(), config().width);
  EncoderStack::Saved saved;
  encoder_.encode(runtime, Pass(), segs, ids, rows.view(), saved);
  return rows;
}

Matrix<float> FiveWordModel::scores(Runtime& runtime, const Segments& segs,
                                    std::span<const std::int32_t> ids) const {
  const Arena::Scope scope(runtime.arena());
  Matrix<float> scores(ids.size(), config().outputs);
  TransformerEncoder::Saved saved;
  encoder_.forward(runtime, NestedPass(documents_of(segs)), ids, scores.view(), saved);
  return scores;
}

Matrix<float> FiveWordModel::attention(Runtime& runtime, std::span<const std::int32_t> ids) const {
  const Arena::Scope scope(runtime.arena());
  const std::vector<std::size_t> length = {ids.size()};
  const Segments segs = Segments::from_lengths(std::span<const std::size_t>(length));
  Matrix<float> rows(ids.size(), config().width);
  EncoderStack::Saved saved;
  saved.keep = true;
  encoder_.encode(runtime, Pass(), segs, ids, rows.view(), saved);
  std::vector<float> weights(config().heads * ids.size() * ids.size());
  encoder_.attention_weights(runtime, Pass(), segs, 0, saved, weights);
  return copied({weights.data(), ids.size(), ids.size()});  // the first head's stand first
}

LossSum FiveWordModel::add_gradient(Runtime& runtime, const Segments& segs,
                                    std::span<const std::int32_t> ids,
                                    std::span<const std::int32_t> labels) {
  const Arena::Scope scope(runtime.arena());
  const NestedSegments documents = documents_of(segs);
  const std::vector<std::uint64_t> numbers(segs.count(), 0);  // nothing is drawn
  const NestedPass pass(documents, 0, 0, 1, numbers);
  Matrix<float> scores(ids.size(), config().outputs);
  TransformerEncoder::Saved saved;
  encoder_.forward(runtime, pass, ids, scores.view(), saved);
  Matrix<float> probabilities(scores.rows(), scores.cols());
  const LossSum loss = softmax_cross_entropy_forward(runtime, pass.words(), scores.view(), labels,
                                                     {}, probabilities.view());
  const float scale = loss.count == 0 ? 0 : 1 / static_cast<float>(loss.count);
  softmax_cross_entropy_backward(runtime, pass.words(), probabilities.view(), labels, {}, scale,
                                 probabilities.view());
  encoder_.backward(runtime, pass, probabilities.view(), ids, saved);
  return loss;
}

std::vector<float> FiveWordModel::take_gradient() {
  std::vector<float> gradient;
  for (Parameter* parameter : all_parameters()) {
    const std::span<float> cells = parameter->gradient.cells();
    gradient.insert(gradient.end(), cells.begin(), cells.end());
    std::ranges::fill(cells, 0.0f);
  }
  return gradient;
}

void FiveWordModel::step(Runtime& runtime) {
  const std::vector<Parameter*> parameters = all_parameters();
  optimizer_.step(runtime, parameters, kLearningRate, std::nullopt);
}

}  // namespace padless::study
