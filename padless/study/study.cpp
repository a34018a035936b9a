#include "padless/study/study.h"

#include <chrono>
#include <cmath>
#include <numeric>
#include <utility>

#include "padless/core/error.h"
#include "padless/io/atomic_file.h"
#include "padless/study/classification_report.h"
#include "padless/study/constant_claims.h"
#include "padless/study/dialect_claims.h"
#include "padless/study/encoder_report.h"
#include "padless/study/five_words_report.h"
#include "padless/study/pooling_claims.h"
#include "padless/study/regression_report.h"
#include "padless/study/report.h"
#include "padless/study/softmax_claims.h"
#include "padless/study/study_json.h"

namespace padless::study {
namespace {

namespace fs = std::filesystem;

DataRequest data_request(const StudyOptions& options) {
  constexpr double kQuickShare = 0.3;
  return {.file = options.file,
          .columns = options.columns,
          .seed = options.seed,
          .train_share = options.effort == Effort::quick ? kQuickShare : 1};
}

// One of three values, in the order of the efforts.
template <class T>
T by_effort(Effort effort, T quick, T normal, T full) {
  switch (effort) {
    case Effort::quick:
      return quick;
    case Effort::normal:
      return normal;
    case Effort::full:
      return full;
  }
  return normal;
}

std::vector<std::uint64_t> seeds(const StudyOptions& options, std::size_t count) {
  std::vector<std::uint64_t> all(count);
  std::iota(all.begin(), all.end(), options.seed);
  return all;
}

}  // namespace

std::string_view effort_name(Effort effort) {
  return by_effort<std::string_view>(effort, "quick", "normal", "full");
}

Effort training_effort(const StudyOptions& options, const StudyData& data) {
  return data.is_made_up() && options.effort == Effort::quick ? Effort::normal : options.effort;
}

ClassificationOptions classification_options(const StudyOptions& options, Effort training) {
  ClassificationOptions result;
  constexpr std::size_t kMostWords = 200;
  result.training.tokenizer.max_words = kMostWords;
  // Few texts for a model of a million parameters: it is dropout and smoothing that make it learn
  // words and not texts.
  result.training.model = HanConfig{.dropout = 0.5f};
  TrainOptions& train = result.training.options;
  train.learning_rate = 4e-3f;
  train.label_smoothing = 0.1f;
  train.patience = 0;
  // Batches as most people make them: so many texts as they come, not sorted by length.
  train.batch_documents = train.window = result.evaluation_batch;
  train.batch_tokens = train.batch_documents * kMostWords;
  train.epochs = by_effort<std::size_t>(training, 4, 8, 16);
  result.seeds = seeds(options, by_effort<std::size_t>(options.effort, 2, 3, 5));
  return result;
}

RegressionOptions regression_options(const StudyOptions& options, Effort training) {
  const ClassificationOptions like = classification_options(options, training);
  RegressionOptions result{.training = like.training, .evaluation_batch = like.evaluation_batch};
  result.training.options.label_smoothing = 0;  // is of classes
  result.seeds = seeds(options, by_effort<std::size_t>(options.effort, 1, 1, 3));
  return result;
}

EncoderOptions encoder_options(const StudyOptions& options, Effort training) {
  const ClassificationOptions like = classification_options(options, training);
  EncoderOptions result{.training = like.training, .evaluation_batch = like.evaluation_batch};
  result.model.width = 64;
  result.model.layers = 2;
  result.model.heads = 4;
  result.model.feed_forward = 128;
  result.model.max_length = like.training.tokenizer.max_words.value_or(result.model.max_length);
  result.model.dropout = 0;  // so few epochs learn no text by heart
  result.training.options.epochs = by_effort<std::size_t>(training, 2, 3, 6);
  result.seeds = seeds(options, by_effort<std::size_t>(options.effort, 1, 1, 3));
  return result;
}

FiveWordsOptions five_words_options(const StudyOptions& options) {
  FiveWordsOptions result;
  result.seeds = seeds(options, by_effort<std::size_t>(options.effort, 5, 20, 20));
  return result;
}

StudyResult run_study(Runtime& runtime, const StudyOptions& options,
                      const StudyProgress& progress) {
  using Clock = std::chrono::steady_clock;
  const auto began = Clock::now();
  const auto seconds = [&began] {
    return std::chrono::duration<double>(Clock::now() - began).count();
  };
  StudyResult result{.options = options};
  result.machine = this_machine(runtime);
  result.findings = {zero_pads_water_down(runtime), multiplying_gives_the_weights(runtime),
                     multiplying_is_a_fix(runtime), minus_10000_makes_pads_vanish(runtime),
                     large_constants_differ(runtime)};

  result.data = load_study_data(data_request(options),
                                [&](std::string_view doing) { progress(doing, 0, seconds()); });
  LabelledSet set = std::exchange(result.data.set, {});
  const bool has_numbers = !set.targets.empty();
  const Effort training = training_effort(options, result.data);
  result.settings = classification_options(options, training);
  const RegressionOptions regression = regression_options(options, training);
  const EncoderOptions encoder = encoder_options(options, training);
  // Every HAN takes about as long to train as any other, an encoder twice as long.
  const std::size_t classifying = result.settings.seeds.size(), telling = regression.seeds.size(),
                    attending = 2 * encoder.seeds.size();
  double models_begun = 0;
  const auto models = static_cast<double>(classifying + attending + (has_numbers ? telling : 0));
  const auto part = [&](std::size_t share) {
    const double from = models_begun / models;
    models_begun += static_cast<double>(share);
    const double to = models_begun / models;
    return [&progress, &seconds, from, to](std::string_view doing, double done) {
      progress(doing, std::lerp(from, to, done), seconds());
    };
  };
  progress("training on five words", 0, seconds());
  result.five_words = run_five_words(runtime, five_words_options(options), [](double) {});
  result.classification = run_classification(runtime, set, result.settings, part(classifying));
  result.encoder = run_encoder_classification(runtime, set, encoder, part(attending));
  if (has_numbers) {
    result.regression = run_regression(runtime, std::move(set), regression, part(telling));
  }
  result.findings.push_back(pads_score_zero(runtime, result.classification));
  result.findings.push_back(only_relative_weights_matter(runtime, result.classification));
  result.findings.push_back(one_means_real(runtime));
  result.findings.push_back(masks_help_training(result.five_words));
  result.findings.push_back(masks_broadcast());
  progress("done", 1, seconds());
  result.seconds = seconds();
  return result;
}

std::vector<std::string> headlines(const StudyResult& result) {
  std::vector<std::string> all = {main_finding(result.classification),
                                  encoder_finding(result.encoder)};
  if (result.regression) all.push_back(regression_finding(*result.regression));
  return all;
}

void write_study(const fs::path& folder, const StudyResult& result) {
  make_folder(folder);
  write_file(folder / kNumbersFile, study_json(result).pretty());
  write_file(folder / kReportFile, report_html(result));
}

}  // namespace padless::study
