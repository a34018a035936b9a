#include "padless/train/train_options.h"

#include <cmath>

#include "padless/batch/shards.h"
#include "padless/core/error.h"

namespace padless {

const Names<OptimizerKind>& optimizer_names() {
  static const Names<OptimizerKind> names = {{OptimizerKind::adamw, "adamw"},
                                             {OptimizerKind::sgd, "sgd"}};
  return names;
}

const Names<ClassWeights>& class_weights_names() {
  static const Names<ClassWeights> names = {{ClassWeights::none, "none"},
                                            {ClassWeights::balanced, "balanced"}};
  return names;
}

void TrainOptions::check() const {
  const auto positive = [](const char* name, double value) {
    require_value(value > 0 && std::isfinite(value), "TrainOptions: ", name, " is ", value,
                  ", expected more than 0");
  };
  positive("epochs", static_cast<double>(epochs));
  positive("batch_tokens", static_cast<double>(batch_tokens));
  positive("batch_documents", static_cast<double>(batch_documents));
  positive("window", static_cast<double>(window));
  positive("learning_rate", learning_rate);
  positive("clip_norm", clip_norm);
  require_value(decay >= 0 && std::isfinite(decay), "TrainOptions: decay is ", decay,
                ", expected 0 or more");
  require_value(label_smoothing >= 0 && label_smoothing < 1, "TrainOptions: label_smoothing is ",
                label_smoothing, ", expected at least 0 and less than 1");
  require_value(schedule.warmup >= 0 && schedule.warmup < 1, "TrainOptions: warmup is ",
                schedule.warmup, ", expected at least 0 and less than 1");
  require_value(momentum >= 0 && momentum < 1, "TrainOptions: momentum is ", momentum,
                ", expected at least 0 and less than 1");
  require_value(!nesterov || (optimizer == OptimizerKind::sgd && momentum > 0),
                "TrainOptions: nesterov is true with the optimizer ",
                name_of(optimizer_names(), optimizer), " and a momentum of ", momentum,
                ", expected sgd and a momentum above 0");
  require_value(Shards::is_count(shards), "TrainOptions: shards is ", shards,
                ", expected a power of two, at most ", Shards::kMost);
}

}  // namespace padless
