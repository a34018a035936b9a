#include <algorithm>
#include <cstdint>
#include <ostream>
#include <string>
#include <unordered_map>
#include <vector>

#include "padless/cli/commands.h"
#include "padless/cli/evaluation.h"
#include "padless/cli/input.h"
#include "padless/cli/options.h"
#include "padless/cli/prediction.h"
#include "padless/train/metrics.h"
#include "padless/train/text_model.h"

namespace padless::cli {
namespace {

constexpr const char* kExamples =
    "Example:\n"
    "  padless evaluate --model han --data packages.tsv --text text --label section --split split";

struct EvaluateCommand {
  std::string model;
  DataOptions data;
  LearntOptions learnt;
  std::size_t use = 0;
  std::optional<float> threshold;
  bool json = false;
  std::size_t threads = 0;
  std::size_t batch_tokens = 4096;
};

constexpr Split kSplits[] = {Split::test, Split::dev, Split::train};  // as --use lists them

// The set without the rows of other splits.
LabelledSet only(LabelledSet set, Split split) {
  LabelledSet kept;
  for (const std::size_t i : set.indices_of(split)) {
    kept.texts.push_back(std::move(set.texts[i]));
    if (!set.labels.empty()) kept.labels.push_back(std::move(set.labels[i]));
    if (!set.label_sets.empty()) kept.label_sets.push_back(std::move(set.label_sets[i]));
    if (!set.targets.empty()) kept.targets.push_back(set.targets[i]);
    kept.rows.push_back(set.rows[i]);
  }
  return kept;
}

LabelledSet read_set(const EvaluateCommand& options, const Console& console) {
  TableReader table = open_table(console, options.data);
  LabelledSet set = read_labelled_set(table, columns_of(options.data, options.learnt));
  if (!options.learnt.split) return set;
  const Split use = kSplits[options.use];
  set = only(std::move(set), use);
  if (!set.texts.empty()) return set;
  throw ValueError(message(table.name(), ": no row's '", *options.learnt.split, "' is ",
                           split_name(use), ", expected some; --use names another split"));
}

// The number of a label in a model, or -1.
class LabelIds {
 public:
  explicit LabelIds(const TextModel& model) {
    for (const std::string& label : model.labels) {
      ids_.emplace(label, static_cast<std::int32_t>(ids_.size()));
    }
  }

  std::int32_t operator[](const std::string& label) const {
    const auto found = ids_.find(label);
    return found == ids_.end() ? -1 : found->second;
  }

 private:
  std::unordered_map<std::string, std::int32_t> ids_;
};

ClassificationMetrics classes_of(const TextModel& model, const LabelledSet& set,
                                 const std::vector<TextPrediction>& predictions) {
  const LabelIds ids(model);
  std::vector<std::int32_t> predicted, labels;
  predicted.reserve(predictions.size());
  labels.reserve(predictions.size());
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    predicted.push_back(static_cast<std::int32_t>(predictions[i].label));
    labels.push_back(ids[set.labels[i]]);
  }
  return classification_metrics(predicted, labels, model.labels.size());
}

LabelMetrics labels_of(const TextModel& model, const LabelledSet& set,
                       const std::vector<TextPrediction>& predictions, float threshold) {
  const LabelIds ids(model);
  std::vector<std::vector<std::int32_t>> labels;
  labels.reserve(predictions.size());
  Matrix<float> probabilities(predictions.size(), model.labels.size());
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    std::ranges::copy(predictions[i].scores, probabilities.row(i).begin());
    std::vector<std::int32_t>& own = labels.emplace_back();
    own.reserve(set.label_sets[i].size());
    for (const std::string& label : set.label_sets[i]) own.push_back(ids[label]);
    std::ranges::sort(own);
  }
  return label_metrics(probabilities.view(), labels, threshold);
}

RegressionMetrics regression_of(const LabelledSet& set,
                                const std::vector<TextPrediction>& predictions) {
  std::vector<double> predicted;
  predicted.reserve(predictions.size());
  for (const TextPrediction& prediction : predictions) predicted.push_back(prediction.value);
  return regression_metrics(predicted, set.targets);
}

void require_column_of(const TextModel& model, const EvaluateCommand& options) {
  const LearntOptions& learnt = options.learnt;
  const auto expect = [&](const std::optional<std::string>& column, const char* gives) {
    if (!column) throw UsageError(message(options.model, " gives ", gives));
  };
  switch (model.answer) {
    case Answer::one_class:
      return expect(learnt.label, "one class a text, expected --label");
    case Answer::several_labels:
      return expect(learnt.labels, "several labels a text, expected --labels");
    case Answer::number:
      return expect(learnt.target, "numbers, expected --target");
  }
}

void evaluate(const EvaluateCommand& options, const Console& console) {
  require_one(options.learnt);
  const auto runtime = make_runtime(options.threads);
  const TextModel model = load_text_model(options.model);
  require_column_of(model, options);
  const float threshold = threshold_of(options.threshold, model);
  const LabelledSet set = read_set(options, console);
  const std::vector<TextPrediction> predictions =
      predict(*runtime, model, set.texts, options.batch_tokens);
  CutWords cut;
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    require_finite(predictions[i], message(options.data.file, ", row ", set.rows[i]));
    cut.add(predictions[i]);
  }
  cut.tell(console.err);
  const auto report = [&](const auto& metrics) {
    if (options.json) {
      console.out << to_json(metrics, model).pretty();
    } else {
      print(console.out, metrics, model);
    }
  };
  if (model.answer == Answer::one_class) {
    report(classes_of(model, set, predictions));
  } else if (model.answer == Answer::several_labels) {
    report(labels_of(model, set, predictions, threshold));
  } else {
    report(regression_of(set, predictions));
  }
}

}  // namespace

void add_evaluate(CLI::App& app, const Console& console) {
  const auto options = std::make_shared<EvaluateCommand>();
  CLI::App* command = app.add_subcommand("evaluate", "Says how good a model is on labelled texts");
  add_model_folder(*command, options->model);
  add_data_options(*command, options->data);
  add_learnt_options(*command, options->learnt, "column that says train, dev or test");
  add_choice(*command, "--use", options->use, "the split that is used where --split is given",
             {"test", "dev", "train"})
      ->default_str("test")
      ->needs(command->get_option("--split"));
  add_threshold(*command, options->threshold);
  command->add_flag("--json", options->json, "for machines");
  add_threads(*command, options->threads);
  add_whole(*command, "--batch-tokens", options->batch_tokens,
            "words computed at once, at most; no result depends on it",
            {.low = 1, .high = kMostBatchTokens});
  command->footer(kExamples);
  command->callback([options, &console] { evaluate(*options, console); });
}

}  // namespace padless::cli
