#include "padless/viz/axis.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>

#include "padless/viz/number.h"

namespace padless::viz {
namespace {

constexpr double kLargest = 1e100;
// Below this share of its size, a span is rounding noise rather than a span.
constexpr double kSmallestSpan = 1e-9;

struct Unit {
  double size;
  std::string_view suffix;
};
constexpr Unit kUnits[] = {{1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}};

// Thousands are abbreviated from here on: 9000, but 10k.
constexpr double kAbbreviateFrom = 1e4;
constexpr double kScientificFrom = 1e13;
constexpr int kMostDecimals = 6;

const Unit& unit_of(double largest) {
  for (const Unit& unit : kUnits)
    if (largest >= unit.size * (unit.size == 1e3 ? kAbbreviateFrom / 1e3 : 1)) return unit;
  return kUnits[std::size(kUnits) - 1];
}

// Decimals that tell multiples of `step` apart.
int decimals_of(double step) {
  for (int decimals = 0; decimals < kMostDecimals; ++decimals) {
    const double scaled = step * std::pow(10, decimals);
    if (std::abs(scaled - std::round(scaled)) < 1e-6 * scaled) return decimals;
  }
  return kMostDecimals;
}

// The smallest of 1, 2, 2.5, 5, 10 times a power of ten that is not below `rough`.
double nice_step(double rough) {
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 2.5, 5.0})
    if (factor * power >= rough * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

std::vector<Tick> labelled_steps(double first, double step, std::size_t count) {
  const double largest =
      std::max(std::abs(first), std::abs(first + step * static_cast<double>(count)));
  const Unit& unit = unit_of(largest);
  const int decimals = decimals_of(step / unit.size);
  const bool plain = largest < kScientificFrom && step >= std::pow(10, -kMostDecimals);
  std::vector<Tick> ticks;
  for (std::size_t i = 0; i < count; ++i) {
    // A multiple of the step, not a running sum: zero comes out as zero.
    const double value = (std::round(first / step) + static_cast<double>(i)) * step;
    std::string label = plain ? fixed(value / unit.size, decimals) : scientific(value, 2);
    if (plain && value != 0) label += unit.suffix;
    ticks.push_back({value, std::move(label)});
  }
  return ticks;
}

std::string power_label(double value) {
  if (value >= kScientificFrom || value < 1e-3) return scientific(value, 1);
  const Unit& unit = unit_of(value);
  return trimmed(value / unit.size, 3) + std::string(unit.suffix);
}

// The multiples of powers of ten inside [low, high].
std::vector<Tick> powers(double low, double high, const std::vector<double>& factors, int every) {
  std::vector<Tick> ticks;
  const int first = static_cast<int>(std::floor(std::log10(low)));
  const int last = static_cast<int>(std::ceil(std::log10(high)));
  for (int power = first; power <= last; ++power) {
    if (power % every != 0) continue;
    for (const double factor : factors) {
      const double value = factor * std::pow(10, power);
      if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9))
        ticks.push_back({value, power_label(value)});
    }
  }
  return ticks;
}

}  // namespace

// Both are false for NaN.
bool is_plottable(double value) { return std::abs(value) <= kLargest; }
bool is_plottable_log(double value) { return value >= 1 / kLargest && value <= kLargest; }

void Extent::include(double value) {
  if (!is_plottable(value)) return;
  low_ = empty_ ? value : std::min(low_, value);
  high_ = empty_ ? value : std::max(high_, value);
  empty_ = false;
}

Axis Axis::linear(const Extent& extent, std::size_t ticks) {
  double low = extent.empty() ? 0 : extent.low();
  double high = extent.empty() ? 1 : extent.high();
  const double size = std::max(std::abs(low), std::abs(high));
  if (high - low <= kSmallestSpan * size || high - low < 1 / kLargest) {
    const double margin = size < 1 / kLargest ? 1 : 0.1 * size;
    low -= margin;
    high += margin;
  }
  const double step =
      nice_step((high - low) / static_cast<double>(std::max<std::size_t>(ticks, 1)));
  // An extent that passes a tick by little is not worth another step: the end stays beyond the
  // tick.
  constexpr double kLittle = 0.2;
  const double first = std::floor(low / step + kLittle), last = std::ceil(high / step - kLittle);
  Axis axis;
  axis.low_ = std::min(low, first * step);
  axis.high_ = std::max(high, last * step);
  axis.ticks_ = labelled_steps(first * step, step, static_cast<std::size_t>(last - first) + 1);
  return axis;
}

Axis Axis::logarithmic(const Extent& extent, std::size_t ticks) {
  Axis axis;
  axis.logarithmic_ = true;
  axis.low_ = extent.empty() ? 1 : extent.low();
  axis.high_ = extent.empty() ? 10 : extent.high();
  if (axis.high_ <= axis.low_ * (1 + kSmallestSpan)) {
    axis.low_ /= 2;
    axis.high_ *= 2;
  }
  axis.ticks_ = powers(axis.low_, axis.high_, {1, 2, 5}, 1);
  if (axis.ticks_.size() > ticks) axis.ticks_ = powers(axis.low_, axis.high_, {1, 3}, 1);
  for (int every = 1; axis.ticks_.size() > ticks && every < 400; ++every)
    axis.ticks_ = powers(axis.low_, axis.high_, {1}, every);
  if (axis.ticks_.size() < 2) {
    axis.ticks_ = {{axis.low_, power_label(axis.low_)}, {axis.high_, power_label(axis.high_)}};
  }
  return axis;
}

double Axis::place(double value) const {
  if (logarithmic_) return (std::log(value) - std::log(low_)) / (std::log(high_) - std::log(low_));
  return (value - low_) / (high_ - low_);
}

}  // namespace padless::viz
