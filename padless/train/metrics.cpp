#include "padless/train/metrics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "padless/core/error.h"

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

ClassificationMetrics classification_metrics(std::span<const std::int32_t> predicted,
                                             std::span<const std::int32_t> labels,
                                             std::size_t classes) {
  require_shape(predicted.size() == labels.size(), "classification_metrics: there are ",
                predicted.size(), " predictions, expected ", labels.size());
  ClassificationMetrics metrics;
  metrics.count = labels.size();
  if (labels.empty()) return metrics;

  std::vector<std::size_t> hits(classes), said(classes), were(classes);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    require_value(predicted[i] >= 0 && static_cast<std::size_t>(predicted[i]) < classes &&
                      (labels[i] < 0 || static_cast<std::size_t>(labels[i]) < classes),
                  "classification_metrics: text ", i, " has class ", predicted[i], " and label ",
                  labels[i], ", expected less than ", classes);
    const auto guess = static_cast<std::size_t>(predicted[i]);
    ++said[guess];
    if (labels[i] < 0) {
      ++metrics.unseen;
      continue;
    }
    const auto label = static_cast<std::size_t>(labels[i]);
    ++were[label];
    if (guess == label) ++hits[label];
  }
  const std::size_t right = std::accumulate(hits.begin(), hits.end(), std::size_t{0});
  metrics.accuracy = static_cast<double>(right) / static_cast<double>(labels.size());

  double sum = 0;
  std::size_t occurring = 0;
  for (std::size_t c = 0; c < classes; ++c) {
    if (said[c] + were[c] == 0) continue;
    ++occurring;
    sum += 2 * static_cast<double>(hits[c]) / static_cast<double>(said[c] + were[c]);
  }
  metrics.macro_f1 = sum / static_cast<double>(occurring);
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
