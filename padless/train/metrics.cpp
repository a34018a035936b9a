#include "padless/train/metrics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "padless/core/error.h"
#include "padless/train/scores.h"

namespace padless {
namespace {

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// The ranks of the values, from 1; equal values share the mean of their ranks.
std::vector<double> ranks(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranked(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t end = first + 1;
    while (end < order.size() && values[order[end]] == values[order[first]]) ++end;
    const double shared = static_cast<double>(first + end + 1) / 2;
    for (std::size_t i = first; i < end; ++i) ranked[order[i]] = shared;
    first = end;
  }
  return ranked;
}

// Of nothing: 0.
double share_of(std::size_t part, std::size_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

// Over those that occur.
double macro_f1(std::span<const ClassCounts> all) {
  double sum = 0;
  std::size_t occurring = 0;
  for (const ClassCounts& counts : all) {
    if (counts.predicted + counts.texts == 0) continue;
    ++occurring;
    sum += counts.f1();
  }
  return occurring == 0 ? 0 : sum / static_cast<double>(occurring);
}

// Rising, behind any number of -1.
void require_real_labels(std::size_t text, std::span<const std::int32_t> set, std::size_t labels) {
  std::int32_t least = -1;
  for (const std::int32_t label : set) {
    require_value(label >= least && (label < 0 || static_cast<std::size_t>(label) < labels),
                  "label_metrics: text ", text, " has the label ", label,
                  ", expected rising ones from -1 to less than ", labels);
    least = label < 0 ? label : label + 1;
  }
}

// A text's probability of a label, and whether it has that.
struct Ranked {
  float probability;
  bool real;
};

// `texts` may come in any order.
double average_precision(std::vector<Ranked>& texts) {
  std::ranges::sort(texts, std::ranges::greater(), &Ranked::probability);
  double sum = 0;
  std::size_t found = 0;
  for (std::size_t first = 0; first < texts.size();) {
    std::size_t end = first, more = 0;
    for (; end < texts.size() && texts[end].probability == texts[first].probability; ++end) {
      more += texts[end].real ? 1 : 0;
    }
    found += more;
    sum += static_cast<double>(more) * share_of(found, end);
    first = end;
  }
  return sum / static_cast<double>(found);
}

// Over the labels that some text has.
double mean_average_precision(MatrixView<const float> probabilities,
                              std::span<const std::vector<std::int32_t>> real,
                              std::span<const ClassCounts> counts) {
  double sum = 0;
  std::size_t occurring = 0;
  std::vector<Ranked> texts(real.size());
  for (std::size_t k = 0; k < counts.size(); ++k) {
    if (counts[k].texts == 0) continue;
    ++occurring;
    for (std::size_t i = 0; i < real.size(); ++i) {
      const float probability = probabilities(i, k);
      texts[i] = {std::isnan(probability) ? -1 : probability,
                  std::ranges::binary_search(real[i], static_cast<std::int32_t>(k))};
    }
    sum += average_precision(texts);
  }
  return occurring == 0 ? 0 : sum / static_cast<double>(occurring);
}

double correlation(std::span<const double> a, std::span<const double> b) {
  const double mean_a = mean(a), mean_b = mean(b);
  double together = 0, square_a = 0, square_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    together += (a[i] - mean_a) * (b[i] - mean_b);
    square_a += (a[i] - mean_a) * (a[i] - mean_a);
    square_b += (b[i] - mean_b) * (b[i] - mean_b);
  }
  return square_a == 0 || square_b == 0 ? 0 : together / std::sqrt(square_a * square_b);
}

}  // namespace

double ClassCounts::precision() const { return share_of(right, predicted); }
double ClassCounts::recall() const { return share_of(right, texts); }
double ClassCounts::f1() const { return share_of(2 * right, texts + predicted); }

ClassificationMetrics classification_metrics(std::span<const std::int32_t> predicted,
                                             std::span<const std::int32_t> labels,
                                             std::size_t classes) {
  require_shape(predicted.size() == labels.size(), "classification_metrics: there are ",
                predicted.size(), " predictions, expected ", labels.size());
  ClassificationMetrics metrics;
  metrics.count = labels.size();
  metrics.classes.resize(classes);

  std::vector<ClassCounts>& counts = metrics.classes;
  std::size_t right = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    require_value(predicted[i] >= 0 && static_cast<std::size_t>(predicted[i]) < classes &&
                      (labels[i] < 0 || static_cast<std::size_t>(labels[i]) < classes),
                  "classification_metrics: text ", i, " has class ", predicted[i], " and label ",
                  labels[i], ", expected less than ", classes);
    const auto guess = static_cast<std::size_t>(predicted[i]);
    ++counts[guess].predicted;
    if (labels[i] < 0) {
      ++metrics.unseen;
      continue;
    }
    const auto label = static_cast<std::size_t>(labels[i]);
    ++counts[label].texts;
    if (guess != label) continue;
    ++counts[label].right;
    ++right;
  }
  metrics.accuracy = share_of(right, labels.size());
  metrics.macro_f1 = macro_f1(counts);
  return metrics;
}

LabelMetrics label_metrics(MatrixView<const float> probabilities,
                           std::span<const std::vector<std::int32_t>> real, float threshold) {
  require_shape(probabilities.rows() == real.size(), "label_metrics: there are ",
                probabilities.rows(), " rows of probabilities, expected ", real.size());
  LabelMetrics metrics;
  metrics.count = real.size();
  metrics.labels.resize(probabilities.cols());

  std::vector<ClassCounts>& counts = metrics.labels;
  ClassCounts together;
  std::size_t right = 0;
  for (std::size_t i = 0; i < real.size(); ++i) {
    require_real_labels(i, real[i], counts.size());
    const std::vector<std::int32_t> predicted = labels_above(probabilities.row(i), threshold);
    together.predicted += predicted.size();
    together.texts += real[i].size();
    for (const std::int32_t label : predicted) {
      ClassCounts& own = counts[static_cast<std::size_t>(label)];
      ++own.predicted;
      if (!std::ranges::binary_search(real[i], label)) continue;
      ++own.right;
      ++together.right;
    }
    for (const std::int32_t label : real[i]) {
      if (label >= 0) ++counts[static_cast<std::size_t>(label)].texts;
    }
    if (predicted == real[i]) ++right;
    if (!real[i].empty() && real[i].front() < 0) ++metrics.unseen;
  }
  metrics.mean_average_precision = mean_average_precision(probabilities, real, counts);
  metrics.micro_f1 = together.f1();
  metrics.macro_f1 = macro_f1(counts);
  metrics.subset_accuracy = share_of(right, real.size());
  return metrics;
}

RegressionMetrics regression_metrics(std::span<const double> predicted,
                                     std::span<const double> targets) {
  require_shape(predicted.size() == targets.size(), "regression_metrics: there are ",
                predicted.size(), " predictions, expected ", targets.size());
  RegressionMetrics metrics;
  metrics.count = targets.size();
  if (targets.empty()) return metrics;
  if (std::ranges::any_of(predicted, [](double value) { return std::isnan(value); })) {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    return {.mae = kNone, .r2 = kNone, .spearman = kNone, .count = targets.size()};
  }

  const double centre = mean(targets);
  double absolute = 0, squared = 0, variance = 0;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    absolute += std::fabs(predicted[i] - targets[i]);
    squared += (predicted[i] - targets[i]) * (predicted[i] - targets[i]);
    variance += (targets[i] - centre) * (targets[i] - centre);
  }
  metrics.mae = absolute / static_cast<double>(targets.size());
  metrics.r2 = variance == 0 ? 0 : 1 - squared / variance;
  metrics.spearman = correlation(ranks(predicted), ranks(targets));
  return metrics;
}

}  // namespace padless
