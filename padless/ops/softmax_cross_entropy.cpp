#include "padless/ops/softmax_cross_entropy.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "padless/core/error.h"
#include "padless/core/fp.h"
#include "padless/kernels/dispatch.h"
#include "padless/ops/checks.h"
#include "padless/ops/row_items.h"

namespace padless {
namespace {

constexpr std::size_t kRowsAnItem = 32;

template <class Work>
void for_each_row(Runtime& runtime, std::size_t rows, Work work) {
  for_row_items(runtime, rows, kRowsAnItem, [&](std::size_t first, std::size_t end) {
    for (std::size_t r = first; r < end; ++r) work(r);
  });
}

void require_labels(std::string_view op, std::span<const std::int32_t> labels, std::size_t classes,
                    const CrossEntropyOptions& options) {
  for (std::size_t r = 0; r < labels.size(); ++r) {
    const bool known = labels[r] >= 0 && static_cast<std::size_t>(labels[r]) < classes;
    require_value(known || labels[r] == kIgnored, op, ": labels[", r, "] is ", labels[r],
                  ", expected a class in [0, ", classes, ") or ", kIgnored, " (ignored)");
  }
  require_value(options.label_smoothing >= 0 && options.label_smoothing <= 1, op,
                ": label_smoothing is ", options.label_smoothing, ", expected a number in [0, 1]");
  if (options.class_weights.empty()) return;
  require_vector(op, "class_weights", options.class_weights, classes);
  for (std::size_t k = 0; k < classes; ++k) {
    require_value(options.class_weights[k] >= 0 && std::isfinite(options.class_weights[k]), op,
                  ": class_weights[", k, "] is ", options.class_weights[k],
                  ", expected a finite number of at least 0");
  }
}

float weight_of(const CrossEntropyOptions& options, std::int32_t label) {
  if (options.class_weights.empty()) return 1;
  return options.class_weights[static_cast<std::size_t>(label)];
}

}  // namespace

LossSum softmax_cross_entropy_forward(Runtime& runtime, const Pass& pass,
                                      MatrixView<const float> logits,
                                      std::span<const std::int32_t> labels,
                                      const CrossEntropyOptions& options,
                                      MatrixView<float> probabilities) {
  constexpr std::string_view kOp = "softmax_cross_entropy_forward";
  require_vector(kOp, "labels", labels, logits.rows());
  require_matrix(kOp, "probabilities", probabilities, logits.rows(), logits.cols());
  require_labels(kOp, labels, logits.cols(), options);
  const PassShards shards = shards_of(kOp, pass, logits.rows());
  const kernels::Table& table = kernels::table(runtime.isa());

  const Arena::Scope scope(runtime.arena());
  const std::span<float> losses = runtime.arena().take<float>(logits.rows());
  const std::span<float> weights = runtime.arena().take<float>(logits.rows());
  for_each_row(runtime, logits.rows(), [&](std::size_t r) {
    if (labels[r] == kIgnored) {
      losses[r] = weights[r] = 0;
      std::ranges::fill(probabilities.row(r), 0.0f);
      return;
    }
    weights[r] = weight_of(options, labels[r]);
    losses[r] =
        weights[r] * table.softmax_cross_entropy_forward(
                         logits.row(r).data(), logits.cols(), static_cast<std::size_t>(labels[r]),
                         options.label_smoothing, probabilities.row(r).data());
  });
  const FpEnvironment environment;
  const auto ignored = static_cast<std::size_t>(std::ranges::count(labels, kIgnored));
  const auto total = [&](std::span<const float> rows) {
    return table.sum_losses(rows.data(), shards.bounds().data(), shards.count());
  };
  return {.sum = total(losses), .count = labels.size() - ignored, .weight = total(weights)};
}

void softmax_cross_entropy_backward(Runtime& runtime, const Pass& /*pass*/,
                                    MatrixView<const float> probabilities,
                                    std::span<const std::int32_t> labels,
                                    const CrossEntropyOptions& options, float scale,
                                    MatrixView<float> d_logits) {
  constexpr std::string_view kOp = "softmax_cross_entropy_backward";
  require_vector(kOp, "labels", labels, probabilities.rows());
  require_matrix(kOp, "d_logits", d_logits, probabilities.rows(), probabilities.cols());
  require_labels(kOp, labels, probabilities.cols(), options);
  const auto kernel = kernels::table(runtime.isa()).softmax_cross_entropy_backward;
  for_each_row(runtime, labels.size(), [&](std::size_t r) {
    if (labels[r] == kIgnored) {
      std::ranges::fill(d_logits.row(r), 0.0f);
      return;
    }
    kernel(probabilities.row(r).data(), probabilities.cols(), static_cast<std::size_t>(labels[r]),
           options.label_smoothing, weight_of(options, labels[r]) * scale, d_logits.row(r).data());
  });
}

}  // namespace padless
