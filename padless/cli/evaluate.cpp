#include <algorithm>
#include <ostream>

#include "padless/cli/commands.h"
#include "padless/cli/input.h"
#include "padless/cli/options.h"
#include "padless/cli/prediction.h"
#include "padless/train/metrics.h"
#include "padless/train/text_model.h"
#include "padless/viz/columns.h"
#include "padless/viz/escape.h"
#include "padless/viz/number.h"

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
  bool json = false;
  std::size_t threads = 0;
  std::size_t batch_tokens = 4096;
};

constexpr Split kSplits[] = {Split::test, Split::dev, Split::train};  // as --use lists them

// How the texts of one class fared.
struct ClassCounts {
  std::size_t texts = 0, predicted = 0, right = 0;

  double precision() const { return share(right, predicted); }
  double recall() const { return share(right, texts); }
  double f1() const { return share(2 * right, texts + predicted); }

 private:
  static double share(std::size_t part, std::size_t whole) {
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
  }
};

// A column of text cells, the first flush left, as wide as the widest.
std::string padded(const std::string& text, std::size_t columns, bool left) {
  const std::size_t width = viz::columns_of(text);
  const std::string spaces(columns > width ? columns - width : 0, ' ');
  return left ? text + spaces : spaces + text;
}

// The set without the rows of other splits.
LabelledSet only(LabelledSet set, Split split) {
  LabelledSet kept;
  for (const std::size_t i : set.indices_of(split)) {
    kept.texts.push_back(std::move(set.texts[i]));
    if (!set.labels.empty()) kept.labels.push_back(std::move(set.labels[i]));
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

struct Classification {
  ClassificationMetrics metrics;
  std::vector<ClassCounts> classes;
};

Classification classification_of(const TextModel& model, const LabelledSet& set,
                                 const std::vector<TextPrediction>& predictions) {
  std::vector<std::int32_t> predicted, labels;
  Classification result;
  result.classes.resize(model.labels.size());
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    const auto found = std::ranges::find(model.labels, set.labels[i]);
    const bool known = found != model.labels.end();
    const auto label = static_cast<std::size_t>(found - model.labels.begin());
    predicted.push_back(static_cast<std::int32_t>(predictions[i].label));
    labels.push_back(known ? static_cast<std::int32_t>(label) : -1);
    ++result.classes[predictions[i].label].predicted;
    if (!known) continue;
    ++result.classes[label].texts;
    result.classes[label].right += predictions[i].label == label;
  }
  result.metrics = classification_metrics(predicted, labels, model.labels.size());
  return result;
}

void print_json(std::ostream& out, const Classification& result, const TextModel& model) {
  Json::Object classes;
  for (std::size_t c = 0; c < model.labels.size(); ++c) {
    const ClassCounts& counts = result.classes[c];
    classes.emplace_back(model.labels[c], Json::object()
                                              .set("precision", counts.precision())
                                              .set("recall", counts.recall())
                                              .set("f1", counts.f1())
                                              .set("count", counts.texts));
  }
  out << Json::object()
             .set("count", result.metrics.count)
             .set("accuracy", result.metrics.accuracy)
             .set("macro_f1", result.metrics.macro_f1)
             .set("unseen_labels", result.metrics.unseen)
             .set("classes", std::move(classes))
             .pretty();
}

void print_table(std::ostream& out, const Classification& result, const TextModel& model) {
  std::vector<std::string> names;
  std::size_t width = 5;
  for (const std::string& label : model.labels) {
    names.push_back(viz::escape_terminal(label));
    width = std::max(width, viz::columns_of(names.back()));
  }
  out << "texts     " << result.metrics.count << "\naccuracy  "
      << viz::fixed(result.metrics.accuracy, 4) << "\nmacro-F1  "
      << viz::fixed(result.metrics.macro_f1, 4) << "\n";
  if (result.metrics.unseen > 0) {
    out << result.metrics.unseen
        << " texts have a label that the model has never seen; they count as wrong\n";
  }
  out << "\n" << padded("class", width, true) << "  precision  recall      F1   texts\n";
  for (std::size_t c = 0; c < names.size(); ++c) {
    const ClassCounts& counts = result.classes[c];
    out << padded(names[c], width, true) << padded(viz::fixed(counts.precision(), 4), 11, false)
        << padded(viz::fixed(counts.recall(), 4), 8, false)
        << padded(viz::fixed(counts.f1(), 4), 8, false)
        << padded(std::to_string(counts.texts), 8, false) << "\n";
  }
}

RegressionMetrics regression_of(const LabelledSet& set,
                                const std::vector<TextPrediction>& predictions) {
  std::vector<double> predicted;
  predicted.reserve(predictions.size());
  for (const TextPrediction& prediction : predictions) predicted.push_back(prediction.value);
  return regression_metrics(predicted, set.targets);
}

void print_numbers(std::ostream& out, const RegressionMetrics& metrics, bool json) {
  if (json) {
    out << Json::object()
               .set("count", metrics.count)
               .set("mae", metrics.mae)
               .set("r2", metrics.r2)
               .set("spearman", metrics.spearman)
               .pretty();
    return;
  }
  out << "texts                " << metrics.count << "\nmean absolute error  "
      << viz::fixed(metrics.mae, 4) << "\nR2                   " << viz::fixed(metrics.r2, 4)
      << "\nSpearman             " << viz::fixed(metrics.spearman, 4) << "\n";
}

void evaluate(const EvaluateCommand& options, const Console& console) {
  require_one(options.learnt);
  const auto runtime = make_runtime(options.threads);
  const TextModel model = load_text_model(options.model);
  if (model.classifies() != options.learnt.label.has_value()) {
    throw UsageError(
        message(options.model, " gives ",
                model.classifies() ? "labels, expected --label" : "numbers, expected --target"));
  }
  const LabelledSet set = read_set(options, console);
  const std::vector<TextPrediction> predictions =
      predict(*runtime, model, set.texts, options.batch_tokens);
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    require_finite(predictions[i], message(options.data.file, ", row ", set.rows[i]));
  }
  if (!model.classifies()) {
    print_numbers(console.out, regression_of(set, predictions), options.json);
    return;
  }
  const Classification result = classification_of(model, set, predictions);
  options.json ? print_json(console.out, result, model) : print_table(console.out, result, model);
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
      ->default_str("test");
  command->add_flag("--json", options->json, "for machines");
  add_threads(*command, options->threads);
  add_whole(*command, "--batch-tokens", options->batch_tokens,
            "words computed at once, at most; no result depends on it",
            {.low = 1, .high = kMostBatchTokens});
  command->footer(kExamples);
  command->callback([options, &console] { evaluate(*options, console); });
}

}  // namespace padless::cli
