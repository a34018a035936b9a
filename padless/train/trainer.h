#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "padless/batch/bucket.h"
#include "padless/core/export.h"
#include "padless/core/runtime.h"
#include "padless/train/examples.h"
#include "padless/train/metrics.h"
#include "padless/train/optimizer.h"
#include "padless/train/scores.h"
#include "padless/train/train_options.h"
#include "padless/train/trainee.h"

namespace padless {

/// One run of training, a batch at a time: forward, loss, backward, clip, step; after each epoch a
/// validation. What happens between two batches (progress, checkpoints) is the caller's.
class PADLESS_API Trainer {
 public:
  /// Where a run is: with the parameters and the optimiser's state, all that a resumed run needs.
  struct Position {
    std::size_t epoch = 0;  ///< epochs that are done
    std::size_t batch = 0;  ///< batches of this epoch that are done
    std::uint32_t step = 0;
    double loss_sum = 0;     ///< of this epoch's texts, as far as they are done
    double loss_weight = 0;  ///< what those weigh together
    double best = -std::numeric_limits<double>::infinity();
    std::size_t best_epoch = 0;  ///< counted from 1; 0 while no epoch's score was finite
    std::size_t skipped = 0;     ///< steps left out because a gradient was not finite
    bool finished = false;
  };

  /// What an epoch came to.
  struct EpochResult {
    double loss = 0;  ///< mean over the epoch's texts by their weights, as they were met
    /// Of the validation examples: accuracy, mean average precision (of several labels: an early
    /// epoch's probabilities are all on one side of any threshold, and F1 tells nothing), or minus
    /// the mean squared error. Of the training loss where there are none. What is best is the
    /// highest; of equal ones the first, but of mean average precisions the last. NaN, and never
    /// the best, where the model gives a validation example a number that is not finite.
    double score = 0;
    ClassificationMetrics classes;  ///< where classes are learnt
    LabelMetrics labels;            ///< where several labels are learnt
    RegressionMetrics numbers;      ///< where numbers are learnt, in the model's units
    bool improved = false;
  };

  /// Examples have labels, label sets or targets, all of them the same. All arguments by reference
  /// have to outlive the trainer. Throws ValueError for options or examples that do not fit.
  Trainer(Runtime& runtime, Trainee& trainee, const Examples& train, const Examples& validation,
          const TrainOptions& options);
  // A temporary would not outlive it.
  Trainer(Runtime& runtime, Trainee& trainee, const Examples& train, Examples&& validation,
          const TrainOptions& options) = delete;

  /// Does the next batch and, when it was the epoch's last, the validation. Nothing once finished.
  void advance();

  const Position& position() const { return position_; }
  /// Goes on from there; parameters and optimiser() are the caller's to restore. Throws ValueError,
  /// with nothing changed, for a position where a run of these examples and options cannot be.
  void resume(const Position& position);
  Optimizer& optimizer() { return optimizer_; }
  /// [K] where options say so, else none: computed from the training examples, once.
  std::span<const float> class_weights() const { return class_weights_; }

  bool finished() const { return position_.finished; }
  /// True after an advance() that ended an epoch; then last_epoch() is its result.
  bool epoch_ended() const { return epoch_ended_; }
  const EpochResult& last_epoch() const { return last_epoch_; }

  /// The batches of the epoch that is under way, and words per epoch.
  const Batches& batches() const { return batches_; }
  std::size_t words() const { return structure_.sentences().total(); }
  /// What the epoch's batches would hold if they were padded.
  Padding padding() const;
  /// Words of the last batch that advance() did.
  std::size_t last_words() const { return last_words_; }

 private:
  void train_on(const ExampleBatch& batch);
  void validate(EpochResult& result);
  void end_epoch();
  void require_reachable(const Position& position) const;
  /// Whether a run ends behind the epochs that are done there.
  bool is_over(const Position& position) const;

  Runtime& runtime_;
  Trainee& trainee_;
  const Examples& train_;
  const Examples& validation_;
  TrainOptions options_;
  NestedSegments structure_;
  std::vector<Parameter*> parameters_;
  Optimizer optimizer_;
  std::vector<float> class_weights_;
  Batches batches_;
  Position position_;
  EpochResult last_epoch_;
  bool epoch_ended_ = false;
  std::size_t last_words_ = 0;
};

}  // namespace padless
