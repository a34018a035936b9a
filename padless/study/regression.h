// The real experiment with a number to be told of each text, in place of a class.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "padless/core/runtime.h"
#include "padless/data/labelled_set.h"
#include "padless/study/contestant.h"
#include "padless/train/metrics.h"
#include "padless/train/text_training.h"

namespace padless::study {

/// What run_regression trains, and how it asks.
struct RegressionOptions {
  TextTraining training;
  std::vector<std::uint64_t> seeds;
  /// Test texts are asked in batches of this many, in order of arrival, and one by one.
  std::size_t evaluation_batch = 32;
};

/// One model, trained and asked; all in the target's own units.
struct RegressionRun {
  Setting setting = Setting::exact;
  std::uint64_t seed = 0;
  std::size_t epochs = 0, best_epoch = 0;
  RegressionMetrics test;        ///< in batches of evaluation_batch
  RegressionMetrics test_alone;  ///< one by one
  double changed = 0;            ///< share of texts whose number has other bits in the two
  double largest_change = 0, mean_change = 0;  ///< between the two
  double training_words_per_second = 0;
};

/// The experiment: its sizes, and every run.
struct Regression {
  std::size_t train_texts = 0, validation_texts = 0, test_texts = 0;
  std::size_t evaluation_batch = 0;
  double target_deviation = 0;     ///< of the training texts
  RegressionMetrics mean_guessed;  ///< what the mean of the training texts comes to as an answer
  std::vector<RegressionRun> runs;

  /// One number a seed of the runs of one setting.
  std::vector<double> of(Setting setting,
                         const std::function<double(const RegressionRun&)>& number) const;
};

/// What is going on, and the share of the experiment that is done.
using RegressionProgress = std::function<void(std::string_view doing, double done)>;

/// Trains and asks every setting with every seed, as run_classification does. The set has targets;
/// labels are not looked at. Throws as prepare, and ValueError for a set without targets, without
/// test texts or no seeds.
Regression run_regression(Runtime& runtime, LabelledSet set, const RegressionOptions& options,
                          const RegressionProgress& progress);

}  // namespace padless::study
