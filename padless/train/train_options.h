#pragma once

#include <cstddef>
#include <cstdint>

#include "padless/core/export.h"
#include "padless/train/names.h"
#include "padless/train/schedule.h"

namespace padless {

/// What moves the weights: AdamW or Sgd of optimizer.h.
enum class OptimizerKind { adamw, sgd };

/// What a text weighs in the loss.
enum class ClassWeights {
  none,      ///< as much as any other
  balanced,  ///< less, the more training texts its class has; see balanced_class_weights
};

/// The choices by their names in files and on the command line.
PADLESS_API const Names<OptimizerKind>& optimizer_names();
PADLESS_API const Names<ClassWeights>& class_weights_names();

/// How a run goes. With the data and the model's first values these decide every bit of its result,
/// whatever the threads and the machine.
struct PADLESS_API TrainOptions {
  std::size_t epochs = 10;           ///< times the training texts are read, at most
  std::size_t batch_tokens = 3000;   ///< words in a batch, at most
  std::size_t batch_documents = 64;  ///< texts in a batch, at most
  std::size_t window = 1024;    ///< texts that are sorted by length together; see BucketOptions
  float learning_rate = 4e-3f;  ///< the schedule's peak
  Schedule schedule = {};
  OptimizerKind optimizer = OptimizerKind::adamw;
  float momentum = 0.9f;      ///< SGD's, in [0, 1)
  bool nesterov = false;      ///< SGD's, with a momentum above 0
  float decay = 0.01f;        ///< AdamW's decays values alone, SGD's is part of the gradient
  double clip_norm = 1.0;     ///< gradients are scaled down to this norm
  float label_smoothing = 0;  ///< share of each label spread over all classes, in [0, 1)
  ClassWeights class_weights = ClassWeights::none;
  std::size_t patience = 4;  ///< epochs without a better validation before an early stop; 0 = never
  std::size_t shards = 8;    ///< a power of two
  std::uint64_t seed = 0;    ///< of the order of texts, dropout and first values

  /// Throws ValueError, naming the field.
  void check() const;
};

}  // namespace padless
