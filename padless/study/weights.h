// Attention weights of one row of keys as the softmax claims speak of them: in numbers, words and
// bars.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "padless/io/json.h"
#include "padless/viz/page.h"

namespace padless::study {

/// The weights of one row, a number a key.
using Weights = std::vector<double>;

/// The same numbers.
template <class Real>
Weights in_double(const std::vector<Real>& weights) {
  Weights out;
  out.reserve(weights.size());
  for (const Real weight : weights) out.push_back(static_cast<double>(weight));
  return out;
}

/// Their sum.
double mass(std::span<const double> weights);
/// The sum of all but the first `real`.
double pad_mass(const Weights& weights, std::size_t real);
/// Over the weights of `a`, of which `b` has as many.
double largest_difference(const Weights& a, const Weights& b);
/// Is there one, and are all of them numbers?
bool all_numbers(const Weights& weights);

/// A number, or null for what is none (0/0) or infinite.
Json number(double value);
Json numbers(const Weights& weights);

/// "(0.4750, 0.5250)"; "NaN" for what is no number.
std::string spelled(const Weights& weights, int decimals = 4);
/// A weight as a cell of a table, likewise.
std::string weight_cell(double weight);

/// One bar a key of each.
struct WeightSeries {
  std::string name;
  Weights weights;
};

/// A group of bars a key, the keys named; all series have a weight for each.
viz::Figure weights_picture(const std::string& id, const std::string& title,
                            const std::vector<WeightSeries>& series,
                            const std::vector<std::string>& keys, const std::string& caption);
/// The same for `real` keys and pads that are all alike: the first stands for them.
viz::Figure weights_picture(const std::string& id, const std::string& title,
                            const std::vector<WeightSeries>& series, std::size_t real,
                            const std::string& caption);

}  // namespace padless::study
