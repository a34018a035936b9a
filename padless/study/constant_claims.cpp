#include "padless/study/constant_claims.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "padless/core/error.h"
#include "padless/reference/math.h"
#include "padless/study/exact_pooling.h"
#include "padless/study/rounded.h"
#include "padless/study/usual_ways.h"
#include "padless/study/weights.h"
#include "padless/viz/chart.h"
#include "padless/viz/number.h"

namespace padless::study {
namespace {

using viz::Verdict;

constexpr double kOrdinary[] = {0.1, 0.2};
constexpr std::size_t kPads = 3;

struct Constant {
  const char* name;
  double value;
};
constexpr Constant kConstants[] = {
    {"-10000", -10000}, {"-65504", -65504}, {"-1e9", -1e9}, {"-1e18", -1e18}};
constexpr std::size_t kSmall = 2, kLarge = 3;  // the two of the claim

// One constant in one format.
struct Trial {
  std::string constant;
  double stored = 0;      // what the format makes of it
  double pad_share = 0;   // two ordinary keys, three pads
  Weights full_row;       // the same five keys, all of them masked
  double uniform_to = 0;  // logits up to this size leave a masked row uniform; NaN if none does

  bool safe_where_keys_are_left() const { return pad_share == 0; }
  bool safe_where_none_is_left() const { return all_numbers(full_row) && mass(full_row) == 0; }
};

// A row whose keys, of logits `logit`, 0 and -logit, are all masked.
template <class Real>
Weights masked_row(double logit, double constant) {
  const std::vector<Real> logits = {Real(logit), Real(0), Real(-logit)};
  return in_double(add_constant(std::span<const Real>(logits), 0, constant));
}

bool is_uniform(const Weights& weights) {
  return all_numbers(weights) &&
         std::ranges::all_of(weights, [&](double weight) { return weight == weights.front(); });
}

// The largest logit that the constant swallows, by halving.
template <class Real>
double uniform_to(double constant) {
  const auto uniform = [constant](double logit) {
    return is_uniform(masked_row<Real>(logit, constant));
  };
  if (!uniform(0)) return std::numeric_limits<double>::quiet_NaN();
  double low = 0, high = 1;
  while (uniform(high)) high *= 2;
  constexpr int kBitsOfDouble = 64;
  for (int i = 0; i < kBitsOfDouble; ++i) {
    const double middle = (low + high) / 2;
    (uniform(middle) ? low : high) = middle;
  }
  return static_cast<double>(Real(low));
}

template <class Real>
Trial attempt(const Constant& constant) {
  const std::vector<Real> row = with_pads<Real>(kOrdinary, kPads);
  const std::span<const Real> logits = row;
  return {
      .constant = constant.name,
      .stored = static_cast<double>(Real(constant.value)),
      .pad_share = pad_mass(in_double(add_constant(logits, std::size(kOrdinary), constant.value)),
                            std::size(kOrdinary)),
      .full_row = in_double(add_constant(logits, 0, constant.value)),
      .uniform_to = uniform_to<Real>(constant.value)};
}

struct Format {
  std::string name;
  std::vector<Trial> trials;  // by kConstants

  const Trial& small() const { return trials[kSmall]; }
  const Trial& large() const { return trials[kLarge]; }
};

template <class Real>
Format attempts(const char* name) {
  Format format{name, {}};
  for (const Constant& constant : kConstants) format.trials.push_back(attempt<Real>(constant));
  return format;
}

// Does the larger constant do worse anywhere?
bool large_is_worse(const Format& format) {
  return format.large().pad_share > format.small().pad_share ||
         (all_numbers(format.small().full_row) && !all_numbers(format.large().full_row));
}

std::string stored_in_words(double stored) {
  constexpr double kLongest = 1e12;
  if (std::isinf(stored)) return "-inf";
  return stored < -kLongest ? viz::scientific(stored, 4) : viz::fixed(stored, 0);
}

std::string size_in_words(double size) {
  if (std::isnan(size)) return "NaN at any";
  return size < 1e6 && size >= 1e-2 ? viz::trimmed(size, 4) : viz::scientific(size, 2);
}

viz::Table trial_table(const std::vector<Format>& formats) {
  viz::Table table{"Two keys of logits 0.1 and 0.2, three pads of logit 0",
                   {"format, constant", "stored as", "PAD's share", "all five masked: weights",
                    "uniform while |logits| ≤"},
                   {}};
  for (const Format& format : formats) {
    for (const Trial& trial : format.trials) {
      table.rows.push_back({message(format.name, ", ", trial.constant),
                            stored_in_words(trial.stored), weight_cell(trial.pad_share),
                            spelled(trial.full_row, 3), size_in_words(trial.uniform_to)});
    }
  }
  return table;
}

// The weight of a key in a row that is masked whole, by its logit; the other key's is 0.
viz::Figure full_row_picture(Runtime& runtime) {
  using reference::Plain;
  constexpr double kHighest = 100, kStep = 2;
  viz::LineChart chart;
  chart.alternative = {"S5-row", "A row whose keys are all masked, in float32",
                       "Two keys, one of logit 0. With -1e9 the other's weight is one half up to "
                       "logit 32 and 1 above; with -1e18 it is one half throughout; padless gives "
                       "masked keys 0."};
  chart.x_label = "logit of the key";
  chart.y_label = "weight of a masked key";
  chart.y_covers = {0, 1};
  const auto curve = [&](const char* name, auto&& weight) {
    viz::Curve out{name, {}};
    for (double logit = 0; logit <= kHighest; logit += kStep) {
      out.points.push_back({logit, {weight(logit)}});
    }
    chart.curves.push_back(std::move(out));
  };
  const auto added = [](double constant) {
    return [constant](double logit) {
      const std::vector<Plain> logits = {Plain(logit), Plain(0)};
      return in_double(add_constant(std::span<const Plain>(logits), 0, constant))[0];
    };
  };
  curve("-1e9", added(-1e9));
  curve("-1e18", added(-1e18));
  curve("no mask", added(0));
  curve("padless", [&runtime](double logit) {
    const float logits[] = {static_cast<float>(logit), 0};
    const std::uint8_t keep[] = {0, 0};
    return exact_weights(runtime, logits, keep)[0];
  });
  return {line_chart(chart),
          "Every key of this row is masked, so that nothing should get attention. float32's steps "
          "at 1e9 are 64 wide: logits below half a step vanish in the constant, those above come "
          "through in jumps."};
}

Json trials_json(const Format& format) {
  Json out = Json::object();
  for (const Trial& trial : format.trials) {
    out.set(trial.constant, Json::object()
                                .set("stored", number(trial.stored))
                                .set("stored_is_infinite", std::isinf(trial.stored))
                                .set("ordinary_pad_mass", number(trial.pad_share))
                                .set("full_row", numbers(trial.full_row))
                                .set("full_row_is_undefined", !all_numbers(trial.full_row))
                                .set("uniform_up_to_logit", number(trial.uniform_to)));
  }
  return out;
}

}  // namespace

Finding large_constants_differ(Runtime& runtime) {
  const std::vector<Format> formats = {attempts<reference::Plain>("float32"),
                                       attempts<Rounded<kFloat16>>("float16"),
                                       attempts<Rounded<kBfloat16>>("bfloat16")};
  const bool small_is_safe = std::ranges::all_of(formats, [](const Format& format) {
    return format.small().safe_where_keys_are_left() && format.small().safe_where_none_is_left();
  });
  const bool large_is_unsafe = std::ranges::any_of(formats, large_is_worse);

  Finding finding{.id = "S5",
                  .title = "-1e9 is safe, -1e18 is not",
                  .claim = "-1e9 is large enough and safe, -1e18 is not"};
  finding.verdict = small_is_safe && large_is_unsafe ? Verdict::holds
                    : large_is_unsafe                ? Verdict::mixed
                                                     : Verdict::fails;
  const Format &single = formats[0], &half = formats[1], &brain = formats[2];
  finding.because =
      message(large_is_unsafe ? "The larger constant does worse somewhere: in float32 PAD gets "
                              : "No format tells the two apart: in float32 PAD gets ",
              viz::trimmed(single.small().pad_share, 4), " with -1e9 and ",
              viz::trimmed(single.large().pad_share, 4),
              " with -1e18. But a row whose keys are all masked "
              "gives ",
              spelled(single.small().full_row, 2), " in float32 while |logits| ≤ ",
              size_in_words(single.small().uniform_to), ", and ", spelled(half.small().full_row, 2),
              " in float16, where -1e9 is ", stored_in_words(half.small().stored),
              "; bfloat16 holds it as ", stored_in_words(brain.small().stored), ".");
  finding.numbers.set("full_row_exact",
                      numbers(exact_weights(runtime, {}, std::size(kOrdinary) + kPads)));
  for (const Format& format : formats) finding.numbers.set(format.name, trials_json(format));

  finding.blocks.figure(full_row_picture(runtime));
  finding.blocks.table(trial_table(formats));
  finding.blocks.paragraph(
      "float16 and bfloat16 are emulated: every operation is rounded to the nearest number of the "
      "format, ties to even. padless adds no constant: a masked key is left out of maximum and "
      "sum, and a row without a key has weights 0 in any format.");
  return finding;
}

}  // namespace padless::study
