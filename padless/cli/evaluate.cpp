#include <algorithm>
#include <ostream>
#include <span>
#include <unordered_map>

#include "padless/cli/commands.h"
#include "padless/cli/input.h"
#include "padless/cli/options.h"
#include "padless/cli/prediction.h"
#include "padless/train/metrics.h"
#include "padless/train/scores.h"
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
  std::optional<float> threshold;
  bool json = false;
  std::size_t threads = 0;
  std::size_t batch_tokens = 4096;
};

constexpr Split kSplits[] = {Split::test, Split::dev, Split::train};  // as --use lists them

// How the texts of one class, or with one label, fared.
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

using ClassSets = std::vector<std::vector<std::int32_t>>;

// The class of each text as a set of one.
ClassSets sets_of_one(std::span<const std::int32_t> classes) {
  ClassSets sets;
  sets.reserve(classes.size());
  for (const std::int32_t id : classes) sets.push_back({id});
  return sets;
}

// `labels` may hold -1 for what the model has never seen.
std::vector<ClassCounts> counts_of(const ClassSets& predicted, const ClassSets& labels,
                                   std::size_t classes) {
  std::vector<ClassCounts> counts(classes);
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    for (const std::int32_t id : labels[i]) {
      if (id >= 0) ++counts[static_cast<std::size_t>(id)].texts;
    }
    for (const std::int32_t id : predicted[i]) {
      ClassCounts& own = counts[static_cast<std::size_t>(id)];
      ++own.predicted;
      if (std::ranges::find(labels[i], id) != labels[i].end()) ++own.right;
    }
  }
  return counts;
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

Json counts_json(const std::vector<ClassCounts>& all, const TextModel& model) {
  Json::Object classes;
  for (std::size_t c = 0; c < all.size(); ++c) {
    const ClassCounts& counts = all[c];
    classes.emplace_back(model.labels[c], Json::object()
                                              .set("precision", counts.precision())
                                              .set("recall", counts.recall())
                                              .set("f1", counts.f1())
                                              .set("count", counts.texts));
  }
  return classes;
}

// `title` is that of the first column.
void print_counts(std::ostream& out, const std::vector<ClassCounts>& all, const TextModel& model,
                  const std::string& title) {
  std::vector<std::string> names;
  std::size_t width = title.size();
  for (const std::string& label : model.labels) {
    names.push_back(viz::escape_terminal(label));
    width = std::max(width, viz::columns_of(names.back()));
  }
  out << "\n" << padded(title, width, true) << "  precision  recall      F1   texts\n";
  for (std::size_t c = 0; c < names.size(); ++c) {
    const ClassCounts& counts = all[c];
    out << padded(names[c], width, true) << padded(viz::fixed(counts.precision(), 4), 11, false)
        << padded(viz::fixed(counts.recall(), 4), 8, false)
        << padded(viz::fixed(counts.f1(), 4), 8, false)
        << padded(std::to_string(counts.texts), 8, false) << "\n";
  }
}

void report_classes(std::ostream& out, const TextModel& model, const LabelledSet& set,
                    const std::vector<TextPrediction>& predictions, bool json) {
  const LabelIds ids(model);
  std::vector<std::int32_t> predicted, labels;
  predicted.reserve(predictions.size());
  labels.reserve(predictions.size());
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    predicted.push_back(static_cast<std::int32_t>(predictions[i].label));
    labels.push_back(ids[set.labels[i]]);
  }
  const ClassificationMetrics metrics =
      classification_metrics(predicted, labels, model.labels.size());
  const std::vector<ClassCounts> counts =
      counts_of(sets_of_one(predicted), sets_of_one(labels), model.labels.size());
  if (json) {
    out << Json::object()
               .set("count", metrics.count)
               .set("accuracy", metrics.accuracy)
               .set("macro_f1", metrics.macro_f1)
               .set("unseen_labels", metrics.unseen)
               .set("classes", counts_json(counts, model))
               .pretty();
    return;
  }
  out << "texts     " << metrics.count << "\naccuracy  " << viz::fixed(metrics.accuracy, 4)
      << "\nmacro-F1  " << viz::fixed(metrics.macro_f1, 4) << "\n";
  if (metrics.unseen > 0) {
    out << metrics.unseen
        << " texts have a label that the model has never seen; they count as wrong\n";
  }
  print_counts(out, counts, model, "class");
}

void report_labels(std::ostream& out, const TextModel& model, const LabelledSet& set,
                   const std::vector<TextPrediction>& predictions, float threshold, bool json) {
  const LabelIds ids(model);
  ClassSets predicted, labels;
  predicted.reserve(predictions.size());
  labels.reserve(predictions.size());
  Matrix<float> probabilities(predictions.size(), model.labels.size());
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    std::ranges::copy(predictions[i].scores, probabilities.row(i).begin());
    predicted.push_back(labels_above(predictions[i].scores, threshold));
    std::vector<std::int32_t>& own = labels.emplace_back();
    own.reserve(set.label_sets[i].size());
    for (const std::string& label : set.label_sets[i]) own.push_back(ids[label]);
    std::ranges::sort(own);
  }
  const LabelMetrics metrics = label_metrics(probabilities.view(), labels, threshold);
  const std::vector<ClassCounts> counts = counts_of(predicted, labels, model.labels.size());
  if (json) {
    out << Json::object()
               .set("count", metrics.count)
               .set("mean_average_precision", metrics.mean_average_precision)
               .set("micro_f1", metrics.micro_f1)
               .set("macro_f1", metrics.macro_f1)
               .set("subset_accuracy", metrics.subset_accuracy)
               .set("unseen_labels", metrics.unseen)
               .set("labels", counts_json(counts, model))
               .pretty();
    return;
  }
  out << "texts                   " << metrics.count << "\nmean average precision  "
      << viz::fixed(metrics.mean_average_precision, 4) << "\nmicro-F1                "
      << viz::fixed(metrics.micro_f1, 4) << "\nmacro-F1                "
      << viz::fixed(metrics.macro_f1, 4) << "\nsubset accuracy         "
      << viz::fixed(metrics.subset_accuracy, 4) << "\n";
  if (metrics.unseen > 0) {
    out << metrics.unseen
        << " texts have a label that the model has never seen; it counts as not found\n";
  }
  print_counts(out, counts, model, "label");
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
  if (model.answer == Answer::one_class) {
    report_classes(console.out, model, set, predictions, options.json);
  } else if (model.answer == Answer::several_labels) {
    report_labels(console.out, model, set, predictions, threshold, options.json);
  } else {
    print_numbers(console.out, regression_of(set, predictions), options.json);
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
