// The real experiment: the same HAN trained and asked with and without its pads, over several
// seeds.
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
#include "padless/study/evaluation.h"
#include "padless/train/metrics.h"
#include "padless/train/text_training.h"

namespace padless::study {

/// What run_classification trains, and how it asks.
struct ClassificationOptions {
  TextTraining training;
  std::vector<std::uint64_t> seeds;
  /// Test texts are asked in batches of this many, in order of arrival, and one by one.
  std::size_t evaluation_batch = 32;
};

/// The scores of one attention: of real rows, and of PAD.
struct ScoreLevels {
  double pad = 0;                        ///< u . tanh(b)
  double low = 0, median = 0, high = 0;  ///< of real rows: 5 %, 50 %, 95 %
};

/// What sequences with `low` to `high` pads behind them lose on average.
struct LossByPads {
  std::size_t low = 0, high = 0;
  std::size_t sequences = 0;
  double mean_mass_lost = 0;
};

/// Amounts of padding at which the mean mass lost is computed.
inline constexpr std::size_t kPadAmounts[] = {0, 1, 2, 4, 8, 16, 32, 64, 128, 256};

/// One model, trained and asked.
struct ClassificationRun {
  Setting setting = Setting::exact;
  std::uint64_t seed = 0;
  std::size_t epochs = 0, best_epoch = 0;
  double validation_accuracy = 0;
  ClassificationMetrics test;        ///< in batches of evaluation_batch
  ClassificationMetrics test_alone;  ///< one by one
  Disagreement company;              ///< between the two
  double training_words_per_second = 0;
  std::vector<double> word_pad_scores, sentence_pad_scores;  ///< before training and by epoch
  ScoreLevels word_scores, sentence_scores;
  std::vector<LossByPads> word_loss, sentence_loss;   ///< as the test batches were padded
  double word_pad_share = 0, sentence_pad_share = 0;  ///< of the rows that attention ran over
  std::vector<double> mean_mass_lost;  ///< by kPadAmounts, if words were padded so (in float64)
};

/// One test text as two models of one seed look at it in its batch.
struct AttendedExample {
  std::vector<std::string> words;
  std::vector<std::size_t> sentence_lengths;
  std::vector<std::size_t> word_pads;  ///< of each sentence, in no_mask's batch
  std::size_t sentence_pads = 0;
  std::vector<float> exact_words, exact_sentences;
  std::vector<float> padded_words, padded_sentences;
  std::vector<double> word_mass_lost;  ///< of each sentence
  double sentence_mass_lost = 0;
  std::string label, exact_prediction, padded_prediction, padded_prediction_alone;
};

/// The experiment: its sizes, and every run.
struct Classification {
  std::size_t train_texts = 0, validation_texts = 0, test_texts = 0;
  std::size_t classes = 0, vocabulary = 0, train_words = 0, words_cut = 0;
  double parameters = 0;
  std::size_t evaluation_batch = 0;
  double training_padding = 0;  ///< share of pads if a training epoch's batches were whole arrays
  double test_padding = 0;      ///< likewise of the test batches
  std::vector<ClassificationRun> runs;
  AttendedExample example;

  /// One number a seed of the runs of one setting.
  std::vector<double> of(Setting setting,
                         const std::function<double(const ClassificationRun&)>& number) const;
};

/// What is going on, and the share of the experiment that is done.
using ClassificationProgress = std::function<void(std::string_view doing, double done)>;

/// Trains and asks every setting with every seed: the same first values, order of texts and
/// options in each setting. A pure function of its arguments, but for the words per second.
/// Throws as prepare, and ValueError for a set without test texts or no seeds.
Classification run_classification(Runtime& runtime, const LabelledSet& set,
                                  const ClassificationOptions& options,
                                  const ClassificationProgress& progress);

}  // namespace padless::study
