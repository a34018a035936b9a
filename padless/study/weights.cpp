#include "padless/study/weights.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "padless/core/error.h"
#include "padless/viz/chart.h"
#include "padless/viz/number.h"

namespace padless::study {

double mass(std::span<const double> weights) {
  return std::accumulate(weights.begin(), weights.end(), 0.0);
}

double pad_mass(const Weights& weights, std::size_t real) {
  return mass(std::span(weights).subspan(real));
}

double largest_difference(const Weights& a, const Weights& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::fabs(a[i] - b[i]));
  return most;
}

bool all_numbers(const Weights& weights) {
  return !weights.empty() &&
         std::ranges::all_of(weights, [](double weight) { return std::isfinite(weight); });
}

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json numbers(const Weights& weights) {
  Json out = Json::array();
  for (const double weight : weights) out.push(number(weight));
  return out;
}

std::string spelled(const Weights& weights, int decimals) {
  std::string out;
  for (const double weight : weights) {
    out += (out.empty() ? "" : ", ") + (std::isnan(weight) ? "NaN" : viz::fixed(weight, decimals));
  }
  return "(" + out + ")";
}

std::string weight_cell(double weight) {
  return std::isnan(weight) ? "NaN" : viz::fixed(weight, 4);
}

viz::Figure weights_picture(const std::string& id, const std::string& title,
                            const std::vector<WeightSeries>& series,
                            const std::vector<std::string>& keys, const std::string& caption) {
  viz::BarChart chart;
  chart.alternative = {id, title, ""};
  chart.value_label = "attention weight";
  chart.decimals = 4;
  for (const WeightSeries& one : series) {
    chart.series.push_back(one.name);
    chart.alternative.description += one.name + " " + spelled(one.weights) + ". ";
  }
  for (std::size_t key = 0; key < keys.size(); ++key) {
    viz::BarGroup group{keys[key], {}};
    for (const WeightSeries& one : series) group.bars.push_back({{one.weights[key]}, {}});
    chart.groups.push_back(std::move(group));
  }
  return {bar_chart(chart), caption};
}

viz::Figure weights_picture(const std::string& id, const std::string& title,
                            const std::vector<WeightSeries>& series, std::size_t real,
                            const std::string& caption) {
  std::vector<std::string> keys;
  keys.reserve(real + 1);
  for (std::size_t key = 1; key <= real; ++key) keys.push_back(message("key ", key));
  keys.push_back(message("each of ", series[0].weights.size() - real, " pads"));
  return weights_picture(id, title, series, keys, caption);
}

}  // namespace padless::study
