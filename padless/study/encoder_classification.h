// The real experiment with a Transformer encoder in the HAN's place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "padless/core/runtime.h"
#include "padless/data/labelled_set.h"
#include "padless/models/transformer_encoder.h"
#include "padless/study/contestant.h"
#include "padless/study/evaluation.h"
#include "padless/train/metrics.h"
#include "padless/train/text_training.h"

namespace padless::study {

/// What run_encoder_classification trains, and how it asks.
struct EncoderOptions {
  TextTraining training;           ///< its HAN is not looked at
  TransformerEncoderConfig model;  ///< without vocabulary and outputs, which the data decide
  std::vector<std::uint64_t> seeds;
  /// Test texts are asked in batches of this many, in order of arrival, and one by one.
  std::size_t evaluation_batch = 32;
};

/// One encoder, trained and asked.
struct EncoderRun {
  Setting setting = Setting::exact;
  std::uint64_t seed = 0;
  std::size_t epochs = 0, best_epoch = 0;
  ClassificationMetrics test;        ///< in batches of evaluation_batch
  ClassificationMetrics test_alone;  ///< one by one
  Disagreement company;              ///< between the two
  double training_words_per_second = 0;
};

/// The experiment: its sizes, and every run.
struct EncoderClassification {
  std::size_t test_texts = 0, evaluation_batch = 0;
  double test_padding = 0;  ///< share of pads in the test's batches
  TransformerEncoderConfig model;
  std::vector<EncoderRun> runs;

  /// One number a seed of the runs of one setting.
  std::vector<double> of(Setting setting,
                         const std::function<double(const EncoderRun&)>& number) const;
};

/// Trains and asks both settings with every seed, as run_classification does. no_mask: texts are
/// filled up with PAD, a word of its own that is attended to and pooled. Throws as
/// run_classification.
EncoderClassification run_encoder_classification(
    Runtime& runtime, const LabelledSet& set, const EncoderOptions& options,
    const std::function<void(std::string_view doing, double done)>& progress);

}  // namespace padless::study
