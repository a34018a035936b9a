#include "padless/study/study.h"

#include <chrono>
#include <cmath>
#include <utility>

#include "padless/core/error.h"
#include "padless/io/atomic_file.h"
#include "padless/study/classification_report.h"
#include "padless/study/constant_claims.h"
#include "padless/study/dialect_claims.h"
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

}  // namespace

std::string_view effort_name(Effort effort) {
  switch (effort) {
    case Effort::quick:
      return "quick";
    case Effort::normal:
      return "normal";
    case Effort::full:
      return "full";
  }
  return "";
}

ClassificationOptions classification_options(const StudyOptions& options) {
  ClassificationOptions result;
  constexpr std::size_t kMostWords = 200;
  result.training.tokenizer.max_words = kMostWords;
  // Few texts for a model of a million parameters: it is dropout and smoothing that make it learn
  // words and not texts (without: 2 to 3 points of accuracy less on the package set).
  result.training.model = HanConfig{.dropout = 0.5f};
  TrainOptions& train = result.training.options;
  train.learning_rate = 4e-3f;
  train.label_smoothing = 0.1f;
  train.patience = 0;
  // Batches as most people make them: so many texts as they come, not sorted by length.
  train.batch_documents = train.window = result.evaluation_batch;
  train.batch_tokens = train.batch_documents * kMostWords;
  std::size_t seeds = 3;
  switch (options.effort) {
    case Effort::quick:
      train.epochs = 4;
      seeds = 2;
      break;
    case Effort::normal:
      train.epochs = 8;
      break;
    case Effort::full:
      train.epochs = 16;
      seeds = 5;
      break;
  }
  for (std::size_t i = 0; i < seeds; ++i) result.seeds.push_back(options.seed + i);
  return result;
}

RegressionOptions regression_options(const StudyOptions& options) {
  const ClassificationOptions like = classification_options(options);
  RegressionOptions result{.training = like.training, .evaluation_batch = like.evaluation_batch};
  result.training.options.label_smoothing = 0;  // is of classes
  const std::size_t seeds = options.effort == Effort::full ? 3 : 1;
  for (std::size_t i = 0; i < seeds; ++i) result.seeds.push_back(options.seed + i);
  return result;
}

StudyResult run_study(Runtime& runtime, const StudyOptions& options,
                      const StudyProgress& progress) {
  using Clock = std::chrono::steady_clock;
  const auto began = Clock::now();
  const auto seconds = [&began] {
    return std::chrono::duration<double>(Clock::now() - began).count();
  };
  StudyResult result{.options = options, .settings = classification_options(options)};
  result.machine = this_machine(runtime);
  result.findings = {zero_pads_water_down(runtime), multiplying_gives_the_weights(runtime),
                     multiplying_is_a_fix(runtime), minus_10000_makes_pads_vanish(runtime),
                     large_constants_differ(runtime)};

  result.data = load_study_data(data_request(options),
                                [&](std::string_view doing) { progress(doing, 0, seconds()); });
  LabelledSet set = std::exchange(result.data.set, {});
  const bool has_numbers = !set.targets.empty();
  const RegressionOptions regression = regression_options(options);
  // Every model takes about as long to train as any other.
  const auto classification_share = [&] {
    const auto models = static_cast<double>(result.settings.seeds.size());
    return has_numbers ? models / (models + static_cast<double>(regression.seeds.size())) : 1.0;
  }();
  result.classification =
      run_classification(runtime, set, result.settings, [&](std::string_view doing, double done) {
        progress(doing, classification_share * done, seconds());
      });
  if (has_numbers) {
    result.regression = run_regression(
        runtime, std::move(set), regression, [&](std::string_view doing, double done) {
          progress(doing, std::lerp(classification_share, 1.0, done), seconds());
        });
  }
  result.findings.push_back(pads_score_zero(result.classification));
  result.findings.push_back(only_relative_weights_matter(result.classification));
  result.findings.push_back(one_means_real(runtime));
  result.findings.push_back(masks_broadcast());
  progress("done", 1, seconds());
  result.seconds = seconds();
  return result;
}

std::string headline(const StudyResult& result) {
  std::string text = main_finding(result.classification);
  if (result.regression) text += " " + regression_finding(*result.regression);
  return text;
}

void write_study(const fs::path& folder, const StudyResult& result) {
  make_folder(folder);
  write_file(folder / "study.json", study_json(result).pretty());
  write_file(folder / "report.html", report_html(result));
}

}  // namespace padless::study
