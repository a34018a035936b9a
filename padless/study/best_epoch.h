#pragma once

#include <cstddef>
#include <functional>

#include "padless/core/runtime.h"
#include "padless/train/text_preparation.h"
#include "padless/train/trainee.h"
#include "padless/train/trainer.h"

namespace padless::study {

/// What a training came to.
struct TrainingSummary {
  std::size_t epochs = 0, best_epoch = 0;
  double best_score = 0;  ///< of the validation, as Trainer::EpochResult::score
  double words_per_second = 0;
};

/// Trains to the end; the model then has the values of its best epoch. `epoch_ended` is called
/// after each epoch, `progress` with the share that is done.
TrainingSummary train_to_best_epoch(Runtime& runtime, Trainee& model, const PreparedTexts& texts,
                                    const TrainOptions& options,
                                    const std::function<void()>& epoch_ended,
                                    const std::function<void(double share)>& progress);

}  // namespace padless::study
