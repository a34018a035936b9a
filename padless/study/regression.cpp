#include "padless/study/regression.h"

#include <cmath>
#include <memory>

#include "padless/core/error.h"
#include "padless/study/best_epoch.h"
#include "padless/study/evaluation.h"
#include "padless/study/test_set.h"

namespace padless::study {
namespace {

// A model's scores in the target's units.
std::vector<double> in_target_units(const Matrix<float>& scores, const PreparedTexts& texts) {
  std::vector<double> values;
  values.reserve(scores.rows());
  for (const float score : scores.cells()) {
    values.push_back(static_cast<double>(score) * texts.target_scale + texts.target_mean);
  }
  return values;
}

struct Question {
  const PreparedTexts& texts;  // for their scale
  const Examples& test;
  std::vector<double> targets;
};

void ask(Runtime& runtime, Trainee& trainee, const Question& question, std::size_t batch,
         RegressionRun& run) {
  const Matrix<float> company = scores_in_batches(runtime, trainee, question.test, batch);
  const Matrix<float> alone = scores_in_batches(runtime, trainee, question.test, 1);
  const Disagreement apart = disagreement(company.view(), alone.view());
  const std::vector<double> in_company = in_target_units(company, question.texts);
  const std::vector<double> one_by_one = in_target_units(alone, question.texts);
  run.test = regression_metrics(in_company, question.targets);
  run.test_alone = regression_metrics(one_by_one, question.targets);
  run.changed = apart.scores;
  run.largest_change = apart.largest_change * question.texts.target_scale;
  double sum = 0;
  for (std::size_t d = 0; d < in_company.size(); ++d) {
    sum += std::fabs(in_company[d] - one_by_one[d]);
  }
  run.mean_change = sum / static_cast<double>(in_company.size());
}

}  // namespace

std::vector<double> Regression::of(
    Setting setting, const std::function<double(const RegressionRun&)>& number) const {
  std::vector<double> out;
  for (const RegressionRun& run : runs) {
    if (run.setting == setting) out.push_back(number(run));
  }
  return out;
}

Regression run_regression(Runtime& runtime, LabelledSet set, const RegressionOptions& options,
                          const RegressionProgress& progress) {
  require_value(!options.seeds.empty(), "study: there are no seeds");
  require_value(!set.targets.empty(), "study: the texts have no numbers to be told of them");
  progress("reading the texts for the regression", 0);
  set.labels.clear();
  TextTraining training = options.training;
  training.options.seed = options.seeds.front();
  const PreparedTexts texts = prepare_texts(set, training);
  const TestSet test = test_set(set, texts);
  Question question{texts, test.examples, {}};
  question.targets.reserve(test.items.size());
  for (const std::size_t item : test.items) question.targets.push_back(set.targets[item]);

  Regression result{.train_texts = texts.train.size(),
                    .validation_texts = texts.validation.size(),
                    .test_texts = test.examples.size(),
                    .evaluation_batch = options.evaluation_batch,
                    .target_deviation = texts.target_scale};
  const std::vector<double> mean(question.targets.size(), texts.target_mean);
  result.mean_guessed = regression_metrics(mean, question.targets);

  const double runs = static_cast<double>(options.seeds.size() * kSettings.size());
  for (const std::uint64_t seed : options.seeds) {
    training.options.seed = seed;
    Rng rng(seed);
    Han start(std::get<HanConfig>(texts.network), rng);
    for (const Setting setting : kSettings) {
      const double done = static_cast<double>(result.runs.size()) / runs;
      const std::string doing =
          message("training ", setting_name(setting), " on numbers, seed ", seed);
      RegressionRun run{.setting = setting, .seed = seed};
      const std::unique_ptr<Contestant> contestant = Contestant::make(setting, start);
      const TrainingSummary summary = train_to_best_epoch(
          runtime, contestant->trainee(), texts, training.options, [] {},
          [&](double share) { progress(doing, done + share / runs); });
      run.epochs = summary.epochs;
      run.best_epoch = summary.best_epoch;
      run.training_words_per_second = summary.words_per_second;
      ask(runtime, contestant->trainee(), question, options.evaluation_batch, run);
      result.runs.push_back(run);
    }
  }
  return result;
}

}  // namespace padless::study
