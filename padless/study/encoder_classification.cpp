#include "padless/study/encoder_classification.h"

#include <algorithm>

#include "padless/batch/bucket.h"
#include "padless/core/error.h"
#include "padless/core/rng.h"
#include "padless/study/best_epoch.h"
#include "padless/study/padded_encoder.h"
#include "padless/study/test_set.h"
#include "padless/train/scores.h"
#include "padless/train/trainee.h"

namespace padless::study {
namespace {

// What a whole padded array of each batch's words would hold beside words.
double padding_share(const Examples& test, std::size_t batch_documents) {
  const Segments words = structure(test).words();
  const Batches batches = in_arrival_order(test.size(), batch_documents);
  std::size_t slots = 0;
  for (std::size_t i = 0; i < batches.count(); ++i) {
    std::size_t longest = 0;
    for (const std::size_t d : batches[i]) longest = std::max(longest, words.length(d));
    slots += longest * batches[i].size();
  }
  if (slots == 0) return 0;
  return 1 - static_cast<double>(words.total()) / static_cast<double>(slots);
}

struct Task {
  const PreparedTexts& texts;
  const Examples& test;
  TrainOptions options;
  std::size_t evaluation_batch;
};

void train_and_ask(Runtime& runtime, Trainee& trainee, const Task& task, EncoderRun& run,
                   const std::function<void(double share)>& progress) {
  const TrainingSummary summary = train_to_best_epoch(
      runtime, trainee, task.texts, task.options, [] {}, progress);
  run.epochs = summary.epochs;
  run.best_epoch = summary.best_epoch;
  run.training_words_per_second = summary.words_per_second;
  const Matrix<float> company =
      scores_in_batches(runtime, trainee, task.test, task.evaluation_batch);
  const Matrix<float> alone = scores_in_batches(runtime, trainee, task.test, 1);
  run.test =
      classification_metrics(best_classes(company.view()), task.test.labels, trainee.outputs());
  run.test_alone =
      classification_metrics(best_classes(alone.view()), task.test.labels, trainee.outputs());
  run.company = disagreement(company.view(), alone.view());
}

}  // namespace

std::vector<double> EncoderClassification::of(
    Setting setting, const std::function<double(const EncoderRun&)>& number) const {
  std::vector<double> out;
  for (const EncoderRun& run : runs) {
    if (run.setting == setting) out.push_back(number(run));
  }
  return out;
}

EncoderClassification run_encoder_classification(
    Runtime& runtime, const LabelledSet& set, const EncoderOptions& options,
    const std::function<void(std::string_view doing, double done)>& progress) {
  require_value(!options.seeds.empty(), "study: there are no seeds");
  progress("reading the texts for the encoder", 0);
  TextTraining training = options.training;
  training.options.seed = options.seeds.front();
  const PreparedTexts texts = prepare_texts(set, training);
  const TestSet test = test_set(set, texts);

  TransformerEncoderConfig config = options.model;
  config.vocabulary = texts.vocabulary.size() + 1;  // and PAD, also where it is not used
  config.outputs = texts.labels.size();
  EncoderClassification result{
      .test_texts = test.examples.size(),
      .evaluation_batch = options.evaluation_batch,
      .test_padding = padding_share(test.examples, options.evaluation_batch),
      .model = config};
  const double runs = static_cast<double>(options.seeds.size() * kSettings.size());
  for (const std::uint64_t seed : options.seeds) {
    Task task{texts, test.examples, training.options, options.evaluation_batch};
    task.options.seed = seed;
    for (const Setting setting : kSettings) {
      const double done = static_cast<double>(result.runs.size()) / runs;
      const std::string doing =
          message("training ", setting_name(setting), " as an encoder, seed ", seed);
      const auto report = [&](double share) { progress(doing, done + share / runs); };
      EncoderRun run{.setting = setting, .seed = seed};
      Rng rng(seed);
      TransformerEncoder exact(config, rng);
      if (setting == Setting::exact) {
        TraineeOf<TransformerEncoder> trainee(exact);
        train_and_ask(runtime, trainee, task, run, report);
      } else {
        PaddedEncoder padded(std::move(exact));
        TraineeOf<PaddedEncoder> trainee(padded);
        train_and_ask(runtime, trainee, task, run, report);
      }
      result.runs.push_back(run);
    }
  }
  return result;
}

}  // namespace padless::study
