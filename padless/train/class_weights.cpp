#include "padless/train/class_weights.h"

#include "padless/core/error.h"
#include "padless/core/fp.h"
#include "padless/ops/loss_sum.h"

namespace padless {

std::vector<float> balanced_class_weights(std::span<const std::int32_t> labels,
                                          std::size_t classes) {
  std::vector<std::size_t> counts(classes);
  std::size_t all = 0;
  for (const std::int32_t label : labels) {
    if (label == kIgnored) continue;
    require_value(label >= 0 && static_cast<std::size_t>(label) < classes,
                  "balanced_class_weights: a label is ", label, ", expected one of ", classes,
                  " classes");
    ++counts[static_cast<std::size_t>(label)];
    ++all;
  }
  const FpEnvironment environment;
  std::vector<float> weights(classes);
  for (std::size_t k = 0; k < classes; ++k) {
    require_value(counts[k] > 0, "balanced_class_weights: no label is ", k,
                  ", expected at least one of each of ", classes, " classes");
    weights[k] = static_cast<float>(
        static_cast<double>(all) / (static_cast<double>(classes) * static_cast<double>(counts[k])));
  }
  return weights;
}

}  // namespace padless
