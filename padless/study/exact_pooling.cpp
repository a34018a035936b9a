#include "padless/study/exact_pooling.h"

#include <iterator>
#include <limits>
#include <utility>

#include "padless/batch/mask.h"
#include "padless/batch/pack.h"
#include "padless/batch/pass.h"
#include "padless/ops/attention_pool.h"

namespace padless::study {
namespace {

template <class T>
MatrixView<T> column(std::span<T> cells) {
  return {cells.data(), cells.size(), 1};
}

}  // namespace

float hostile(std::size_t slot) {
  using Limits = std::numeric_limits<float>;
  constexpr float kValues[] = {Limits::quiet_NaN(), Limits::infinity(), Limits::max()};
  return kValues[slot % std::size(kValues)];
}

ExactPooling exact_pooling(Runtime& runtime, MatrixView<const float> rows,
                           std::span<const float> scores, std::span<const std::uint8_t> keep) {
  const Packing packing(KeepMask::from_keras(MaskArray(keep, {1, keep.size()})));
  const Segments& segs = packing.segments();
  Matrix<float> kept(segs.total(), rows.cols()), pooled(segs.count(), rows.cols());
  std::vector<float> kept_scores(segs.total()), weights(segs.total()), in_slots(keep.size());
  pack(rows, packing, kept.view());
  pack(column(scores), packing, column(std::span(kept_scores)));
  attention_pool_forward(runtime, Pass(), std::as_const(kept).view(), kept_scores, segs,
                         pooled.view(), weights);
  unpack(column(std::span<const float>(weights)), packing, 0, column(std::span(in_slots)));
  return {{in_slots.begin(), in_slots.end()}, {pooled.cells().begin(), pooled.cells().end()}};
}

std::vector<double> exact_weights(Runtime& runtime, std::span<const float> logits,
                                  std::span<const std::uint8_t> keep) {
  return exact_pooling(runtime, column(logits), logits, keep).weights;
}

std::vector<double> exact_weights(Runtime& runtime, std::span<const double> logits,
                                  std::size_t pads) {
  std::vector<float> slots(logits.begin(), logits.end());
  slots.reserve(logits.size() + pads);
  for (std::size_t pad = 0; pad < pads; ++pad) slots.push_back(hostile(pad));
  return exact_weights(runtime, slots, right_padding(logits.size(), pads));
}

std::vector<std::uint8_t> right_padding(std::size_t real, std::size_t pads) {
  std::vector<std::uint8_t> keep(real, 1);
  keep.resize(real + pads, 0);
  return keep;
}

}  // namespace padless::study
