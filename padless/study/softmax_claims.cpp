#include "padless/study/softmax_claims.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "padless/core/error.h"
#include "padless/core/rng.h"
#include "padless/study/exact_pooling.h"
#include "padless/study/usual_ways.h"
#include "padless/study/weights.h"
#include "padless/viz/chart.h"
#include "padless/viz/number.h"

namespace padless::study {
namespace {

using viz::fixed;
using viz::Verdict;
using Plain = reference::Plain;  // float32 with libm and sums from left to right

// The two real keys and three pads of the example that everybody tells.
constexpr double kExample[] = {0.1, 0.2};
constexpr std::size_t kPads = 3;

template <class Real>
Weights masked_by_multiplying(std::span<const double> logits, std::size_t pads) {
  const std::vector<Real> padded = with_pads<Real>(logits, pads);
  return in_double(multiply_and_renormalise(std::span<const Real>(padded), logits.size()));
}

template <class Real>
Weights masked_by_adding(std::span<const double> logits, std::size_t pads) {
  constexpr double kConstant = -10000;
  const std::vector<Real> padded = with_pads<Real>(logits, pads);
  return in_double(add_constant(std::span<const Real>(padded), logits.size(), kConstant));
}

template <class Real>
Weights unmasked(std::span<const double> logits, std::size_t pads) {
  const std::vector<Real> padded = with_pads<Real>(logits, pads);
  return in_double(softmax(std::span<const Real>(padded)));
}

// Is every number told the weight rounded to the two decimals it is told with?
bool rounds_to(std::span<const double> weights, std::span<const double> told) {
  for (std::size_t i = 0; i < told.size(); ++i) {
    if (std::round(weights[i] * 100) != std::round(told[i] * 100)) return false;
  }
  return true;
}

// "; the first is told as 0.20 and rounds to 0.21."
std::string first_misrounded(const Weights& weights, std::span<const double> told) {
  for (std::size_t i = 0; i < told.size(); ++i) {
    if (rounds_to(std::span(weights).subspan(i, 1), told.subspan(i, 1))) continue;
    return message("; the weight of key ", i + 1, " is told as ", fixed(told[i], 2),
                   " and rounds to ", fixed(weights[i], 2), ".");
  }
  return ".";
}

}  // namespace

Finding zero_pads_water_down(Runtime& runtime) {
  const Weights told = {0.20, 0.23, 0.19, 0.19, 0.19};
  const Weights truth = unmasked<double>(kExample, kPads);
  const Weights usual = unmasked<Plain>(kExample, kPads);
  const Weights exact = exact_weights(runtime, kExample, kPads);
  const double lost = pad_mass(truth, std::size(kExample));
  const bool waters_down = lost > 0;
  const bool told_right = rounds_to(truth, told);

  Finding finding{.id = "S1",
                  .title = "Zero pads water the weights down",
                  .claim =
                      "softmax([.1, .2, 0, 0, 0]) = [.20, .23, .19, .19, .19]: zero padding "
                      "waters the weights down"};
  finding.verdict = waters_down && told_right ? Verdict::holds
                    : waters_down             ? Verdict::mixed
                                              : Verdict::fails;
  finding.because = message(
      waters_down ? "The pads do water the weights down: they take " : "The pads take nothing: ",
      fixed(100 * lost, 1), "\u00a0% of the attention. The weights are ", spelled(truth),
      told_right ? ", as told." : first_misrounded(truth, told));
  finding.numbers.set("claimed", numbers(told))
      .set("float64", numbers(truth))
      .set("float32", numbers(usual))
      .set("exact", numbers(exact))
      .set("mass_lost", lost);
  finding.blocks.figure(weights_picture(
      "S1-weights", "Weights of two keys and three zero pads",
      {{"claimed", told}, {"padded", truth}, {"exact", exact}}, std::size(kExample),
      "Claimed; with the pads in the softmax (float64); and padless, which never sees a pad."));
  return finding;
}

Finding multiplying_gives_the_weights(Runtime& runtime) {
  const Weights told = {0.48, 0.52, 0, 0, 0};
  const Weights truth = masked_by_multiplying<double>(kExample, kPads);
  const Weights usual = masked_by_multiplying<Plain>(kExample, kPads);
  const Weights exact = exact_weights(runtime, kExample, kPads);
  Weights left_out = unmasked<double>(kExample, 0);
  left_out.resize(truth.size(), 0.0);
  const double difference = largest_difference(truth, left_out);
  // Each weight is a few correctly rounded operations away from the true one: 4 on either side.
  const bool same = difference <= 8 * std::numeric_limits<double>::epsilon();
  const bool told_right = rounds_to(truth, told);

  Finding finding{.id = "S2",
                  .title = "Multiplying by the mask gives the weights",
                  .claim =
                      "Multiplied by the 0/1 mask and re-normalised, the weights are "
                      "[.48, .52, 0, 0, 0]"};
  finding.verdict = same && told_right   ? Verdict::holds
                    : same || told_right ? Verdict::mixed
                                         : Verdict::fails;
  finding.because = message(
      "The weights are ", spelled(truth), told_right ? ", as told" : ", not those told",
      same ? ", and the same as those of the two keys alone" : ", unlike those of the keys alone",
      " (largest difference ", viz::scientific(difference, 1), " in float64).");
  finding.numbers.set("claimed", numbers(told))
      .set("float64", numbers(truth))
      .set("float32", numbers(usual))
      .set("keys_alone", numbers(left_out))
      .set("exact", numbers(exact))
      .set("largest_difference_from_keys_alone", difference);
  finding.blocks.figure(weights_picture("S2-weights", "Weights after multiplying by the mask",
                                        {{"claimed", told}, {"masked", truth}, {"exact", exact}},
                                        std::size(kExample),
                                        "Claimed; multiplied by the mask and re-normalised "
                                        "(float64); and padless."));
  return finding;
}

namespace {

// How the float32 bits of a row's weights depend on the number of pads behind it.
struct PadScan {
  static constexpr std::size_t kMostPads = 256;

  std::vector<double> first_weight_ulps;  // by pads: from the weight without pads
  std::size_t patterns = 0;               // of all real weights
  double largest_relative_error = 0;      // against float64
};

// `weights_with(pads)`: the weights of all slots, those of `logits` first.
template <class WeightsWith>
PadScan scan_pads(std::span<const double> logits, const WeightsWith& weights_with) {
  PadScan scan;
  const Weights truth = masked_by_multiplying<double>(logits, 0);
  std::set<std::vector<std::uint64_t>> patterns;  // NaN, too, is a pattern
  double without_pads = 0;
  for (std::size_t pads = 0; pads <= PadScan::kMostPads; ++pads) {
    Weights weights = weights_with(pads);
    weights.resize(logits.size());
    if (pads == 0) without_pads = weights[0];
    const double ulp = static_cast<double>(std::nextafter(static_cast<float>(without_pads), 2.0f) -
                                           static_cast<float>(without_pads));
    scan.first_weight_ulps.push_back((weights[0] - without_pads) / ulp);
    std::vector<std::uint64_t> bits;
    bits.reserve(weights.size());
    for (std::size_t i = 0; i < logits.size(); ++i) {
      scan.largest_relative_error =
          std::max(scan.largest_relative_error, std::fabs(weights[i] / truth[i] - 1));
      bits.push_back(std::bit_cast<std::uint64_t>(weights[i]));
    }
    patterns.insert(std::move(bits));
  }
  scan.patterns = patterns.size();
  return scan;
}

// The first logit -1, -2, ... at which a row of this and the next one is 0/0 in float32.
std::optional<double> first_undefined_logit() {
  constexpr double kLowest = -1000;
  for (double logit = -1; logit >= kLowest; --logit) {
    const double logits[] = {logit, logit - 1};
    if (std::isnan(masked_by_multiplying<Plain>(logits, kPads)[0])) return logit;
  }
  return std::nullopt;
}

// A sentence of eight words with ordinary logits, always the same.
std::vector<double> ordinary_sentence() {
  std::vector<double> logits(8);
  Rng rng(3);
  for (double& logit : logits) logit = rng.normal();
  return logits;
}

// Two keys far from 0, and three pads: in float64, in float32, by padless.
struct FarRow {
  std::vector<double> logits;
  Weights truth, usual, exact;
};

viz::Table far_table(const FarRow& far) {
  const auto cells = [](const std::string& name, const Weights& weights) {
    std::vector<std::string> row = {name};
    for (const double weight : weights) row.push_back(weight_cell(weight));
    return row;
  };
  return {"Weights at logits (-120, -121) with three pads",
          {"how", "key 1", "key 2", "PAD 1", "PAD 2", "PAD 3"},
          {cells("re-normalised, float64", far.truth), cells("re-normalised, float32", far.usual),
           cells("padless, float32", far.exact)}};
}

viz::Figure bits_picture(const PadScan& usual, const PadScan& exact) {
  viz::LineChart chart;
  chart.alternative = {"S3-bits", "How far pads move a weight in float32",
                       "The first weight of a sentence of eight words, counted in float32's steps "
                       "from its value without pads, by the number of pads."};
  chart.x_label = "pads behind the sentence";
  chart.y_label = "steps of float32";
  const auto curve = [&chart](const char* name, const PadScan& scan) {
    constexpr std::size_t kStep = 4;
    viz::Curve out{name, {}};
    for (std::size_t pads = 0; pads < scan.first_weight_ulps.size(); pads += kStep) {
      out.points.push_back({static_cast<double>(pads), {scan.first_weight_ulps[pads]}});
    }
    chart.curves.push_back(std::move(out));
  };
  curve("re-normalised", usual);
  curve("padless", exact);
  return {line_chart(chart),
          "The same sentence, the same weight: how far it moves as pads are added, "
          "in steps of float32 (units in the last place)."};
}

}  // namespace

Finding multiplying_is_a_fix(Runtime& runtime) {
  FarRow far{.logits = {-120, -121}};
  far.truth = masked_by_multiplying<double>(far.logits, kPads);
  far.usual = masked_by_multiplying<Plain>(far.logits, kPads);
  far.exact = exact_weights(runtime, far.logits, kPads);
  const std::vector<double> ordinary = ordinary_sentence();
  const PadScan usual = scan_pads(
      ordinary, [&](std::size_t pads) { return masked_by_multiplying<Plain>(ordinary, pads); });
  const PadScan exact =
      scan_pads(ordinary, [&](std::size_t pads) { return exact_weights(runtime, ordinary, pads); });
  const std::optional<double> undefined_from = first_undefined_logit();
  const bool undefined = std::ranges::any_of(far.usual, [](double w) { return std::isnan(w); });
  const bool bits_depend = usual.patterns > 1;

  Finding finding{.id = "S3",
                  .title = "Multiplying by the mask is a fix",
                  .claim = "\"Mask after softmax, then re-normalise\" is therefore a fix"};
  finding.verdict = bits_depend ? Verdict::fails : undefined ? Verdict::mixed : Verdict::holds;
  finding.because = message("In float32 a row with logits (-120, -121) and three pads gives ",
                            spelled(far.usual), " instead of ", spelled(far.truth),
                            ", and the weights of one sentence of eight words take ",
                            usual.patterns, " bit patterns as 0 to ", PadScan::kMostPads,
                            " pads are put behind it, off by up to ",
                            viz::scientific(usual.largest_relative_error, 1), " of their size.");
  finding.numbers.set("logits", Json::array_of(far.logits))
      .set("float64", numbers(far.truth))
      .set("float32", numbers(far.usual))
      .set("exact", numbers(far.exact))
      .set("float32_is_undefined", undefined)
      .set("undefined_from_logit", undefined_from ? Json(*undefined_from) : Json())
      .set("bit_patterns", usual.patterns)
      .set("pad_amounts", PadScan::kMostPads + 1)
      .set("bit_patterns_exact", exact.patterns)
      .set("largest_relative_error", usual.largest_relative_error);
  finding.blocks.table(far_table(far));
  finding.blocks.figure(bits_picture(usual, exact));
  return finding;
}

namespace {

// A row whose keys are all dropped: the same constant falls on all, and softmax ignores it.
struct FullRow {
  Weights masked, without_mask, exact;
};

FullRow full_row(Runtime& runtime) {
  constexpr double kDropped[] = {0.1, 0.2, 0.3};
  const std::vector<Plain> dropped = with_pads<Plain>(kDropped, kPads);
  return {.masked = in_double(add_constant(std::span<const Plain>(dropped), 0, -10000.0)),
          .without_mask = unmasked<Plain>(kDropped, kPads),
          .exact = exact_weights(runtime, {}, std::size(kDropped) + kPads)};
}

viz::Figure cliff_picture(Runtime& runtime) {
  viz::LineChart chart;
  chart.alternative = {"S4-mass", "PAD's share of the attention by how low the real logits are",
                       "One real key and three pads of logit 0, to which -10000 is added: the "
                       "pads' share rises from 0 to 1 as the real logit passes -10000."};
  chart.x_label = "logit of the real key, from -10000";
  chart.y_label = "PAD's share";
  chart.y_covers = {0, 1};
  viz::Curve usual{"-10000", {}}, exact{"padless", {}};
  for (double above = -10; above <= 10; above += 0.5) {
    const double one[] = {-10000 + above};
    usual.points.push_back({above, {pad_mass(masked_by_adding<Plain>(one, kPads), 1)}});
    exact.points.push_back({above, {pad_mass(exact_weights(runtime, one, kPads), 1)}});
  }
  chart.curves = {usual, exact};
  return {line_chart(chart), "The constant is a cliff, not a mask: below it PAD takes over."};
}

}  // namespace

Finding minus_10000_makes_pads_vanish(Runtime& runtime) {
  const Weights ordinary = masked_by_adding<Plain>(kExample, kPads);
  FarRow far{.logits = {-20000, -20001}};
  far.truth = masked_by_adding<double>(far.logits, kPads);
  far.usual = masked_by_adding<Plain>(far.logits, kPads);
  far.exact = exact_weights(runtime, far.logits, kPads);
  const FullRow full = full_row(runtime);
  const double full_row_difference = largest_difference(full.masked, full.without_mask);

  const double ordinary_pads = pad_mass(ordinary, std::size(kExample));
  const double far_pads = pad_mass(far.usual, far.logits.size());
  const bool vanishes = ordinary_pads == 0;
  const bool comes_back = far_pads > 0 || mass(full.masked) > 0;

  Finding finding{.id = "S4",
                  .title = "-10000 makes PAD vanish",
                  .claim = "BERT adds -10000, which is \"very small\", so PAD vanishes"};
  finding.verdict = !vanishes ? Verdict::fails : comes_back ? Verdict::mixed : Verdict::holds;
  finding.because = message(
      "At ordinary logits PAD gets ", viz::trimmed(ordinary_pads, 6),
      "; where the real logits are (-20000, -20001) it gets ", fixed(100 * far_pads, 0),
      "\u00a0% of the attention, ", spelled(far.usual),
      ", and in a row whose keys are all masked the weights are those without a mask; the largest "
      "difference is ",
      viz::scientific(full_row_difference, 1), ".");
  finding.numbers.set("ordinary_pad_mass", ordinary_pads)
      .set("logits", Json::array_of(far.logits))
      .set("float64", numbers(far.truth))
      .set("float32", numbers(far.usual))
      .set("exact", numbers(far.exact))
      .set("full_row", numbers(full.masked))
      .set("full_row_without_mask", numbers(full.without_mask))
      .set("full_row_difference", full_row_difference)
      .set("full_row_exact", numbers(full.exact));
  const std::vector<viz::Figure> figures = {
      weights_picture("S4-weights", "Weights of two keys at -20000, -20001 and three pads at 0",
                      {{"-10000 added", far.usual}, {"exact", far.exact}}, far.logits.size(),
                      "Two real keys far below -10000: all attention goes to the pads."),
      cliff_picture(runtime)};
  finding.blocks.figures(figures);
  return finding;
}

}  // namespace padless::study
