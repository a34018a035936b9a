#include "padless/cli/evaluation.h"

#include <algorithm>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "padless/viz/columns.h"
#include "padless/viz/escape.h"
#include "padless/viz/number.h"

namespace padless::cli {
namespace {

// A column of text cells, the first flush left, as wide as the widest.
std::string padded(const std::string& text, std::size_t columns, bool left) {
  const std::size_t width = viz::columns_of(text);
  const std::string spaces(columns > width ? columns - width : 0, ' ');
  return left ? text + spaces : spaces + text;
}

Json counts_json(std::span<const ClassCounts> all, const TextModel& model) {
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
void print_counts(std::ostream& out, std::span<const ClassCounts> all, const TextModel& model,
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

}  // namespace

Json to_json(const ClassificationMetrics& metrics, const TextModel& model) {
  return Json::object()
      .set("count", metrics.count)
      .set("accuracy", metrics.accuracy)
      .set("macro_f1", metrics.macro_f1)
      .set("unseen_labels", metrics.unseen)
      .set("classes", counts_json(metrics.classes, model));
}

Json to_json(const LabelMetrics& metrics, const TextModel& model) {
  return Json::object()
      .set("count", metrics.count)
      .set("mean_average_precision", metrics.mean_average_precision)
      .set("micro_f1", metrics.micro_f1)
      .set("macro_f1", metrics.macro_f1)
      .set("subset_accuracy", metrics.subset_accuracy)
      .set("unseen_labels", metrics.unseen)
      .set("labels", counts_json(metrics.labels, model));
}

Json to_json(const RegressionMetrics& metrics, const TextModel&) {
  return Json::object()
      .set("count", metrics.count)
      .set("mae", metrics.mae)
      .set("r2", metrics.r2)
      .set("spearman", metrics.spearman);
}

void print(std::ostream& out, const ClassificationMetrics& metrics, const TextModel& model) {
  out << "texts     " << metrics.count << "\naccuracy  " << viz::fixed(metrics.accuracy, 4)
      << "\nmacro-F1  " << viz::fixed(metrics.macro_f1, 4) << "\n";
  if (metrics.unseen > 0) {
    out << metrics.unseen
        << " texts have a label that the model has never seen; they count as wrong\n";
  }
  print_counts(out, metrics.classes, model, "class");
}

void print(std::ostream& out, const LabelMetrics& metrics, const TextModel& model) {
  out << "texts                   " << metrics.count << "\nmean average precision  "
      << viz::fixed(metrics.mean_average_precision, 4) << "\nmicro-F1                "
      << viz::fixed(metrics.micro_f1, 4) << "\nmacro-F1                "
      << viz::fixed(metrics.macro_f1, 4) << "\nsubset accuracy         "
      << viz::fixed(metrics.subset_accuracy, 4) << "\n";
  if (metrics.unseen > 0) {
    out << metrics.unseen
        << " texts have a label that the model has never seen; it counts as not found\n";
  }
  print_counts(out, metrics.labels, model, "label");
}

void print(std::ostream& out, const RegressionMetrics& metrics, const TextModel&) {
  out << "texts                " << metrics.count << "\nmean absolute error  "
      << viz::fixed(metrics.mae, 4) << "\nR2                   " << viz::fixed(metrics.r2, 4)
      << "\nSpearman             " << viz::fixed(metrics.spearman, 4) << "\n";
}

}  // namespace padless::cli
