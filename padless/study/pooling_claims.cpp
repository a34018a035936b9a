#include "padless/study/pooling_claims.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>
#include <vector>

#include "padless/core/error.h"
#include "padless/study/exact_pooling.h"
#include "padless/study/statistics.h"
#include "padless/study/weights.h"
#include "padless/viz/chart.h"
#include "padless/viz/number.h"

namespace padless::study {
namespace {

using viz::fixed;
using viz::Verdict;

// The worked example: three steps of two numbers, W the identity.
constexpr std::size_t kSteps = 3;
constexpr float kRows[kSteps][2] = {{1, 0}, {0, 1}, {1, 1}};
constexpr std::size_t kExamplePads = 2;

AttentionScorer worked_scorer(double sign) {
  Matrix<double> identity(2, 2);
  identity(0, 0) = identity(1, 1) = 1;
  return {std::move(identity), {0.5 * sign, -0.5 * sign}, {1, 2}};
}

struct Worked {
  std::vector<double> scores, weights;  // of the three steps, and of the pads behind them
  std::vector<double> pooled;
  double pad_score = 0;
};

Worked pool_worked(std::size_t pads) {
  const AttentionScorer scorer = worked_scorer(1);
  Worked worked{.pooled = {0, 0}, .pad_score = scorer.pad_score()};
  for (const auto& row : kRows) worked.scores.push_back(scorer.score(row));
  std::vector<double> all = worked.scores;
  all.resize(kSteps + pads, worked.pad_score);
  double sum = 0;
  for (const double score : all) sum += std::exp(score);
  for (const double score : all) worked.weights.push_back(std::exp(score) / sum);
  for (std::size_t t = 0; t < kSteps; ++t) {
    for (std::size_t c = 0; c < 2; ++c) {
      worked.pooled[c] += worked.weights[t] * static_cast<double>(kRows[t][c]);
    }
  }
  return worked;
}

// The same by the library, in float32, out of padded rows and scores whose pads are hostile.
ExactPooling pool_worked_exactly(Runtime& runtime, std::size_t pads) {
  const AttentionScorer scorer = worked_scorer(1);
  Matrix<float> rows(kSteps + pads, 2);
  std::vector<float> scores(kSteps + pads);
  for (std::size_t t = 0; t < rows.rows(); ++t) {
    const bool real = t < kSteps;
    if (real) {
      std::ranges::copy(kRows[t], rows.row(t).begin());
    } else {
      std::ranges::fill(rows.row(t), hostile(t));
    }
    scores[t] = real ? static_cast<float>(scorer.score(kRows[t])) : hostile(t);
  }
  return exact_pooling(runtime, std::as_const(rows).view(), scores, right_padding(kSteps, pads));
}

double norm(const std::vector<double>& x) {
  double squares = 0;
  for (const double value : x) squares += value * value;
  return std::sqrt(squares);
}

// The length of the worked example's pooled vector over that without pads, by kPadAmounts. Each
// `pooled_with(pads)` is the vector.
template <class PooledWith>
std::vector<double> length_ratios(const PooledWith& pooled_with) {
  const double whole = norm(pooled_with(0));
  std::vector<double> ratios;
  ratios.reserve(std::size(kPadAmounts));
  for (const std::size_t pads : kPadAmounts) ratios.push_back(norm(pooled_with(pads)) / whole);
  return ratios;
}

// How far "shrinks by the mass lost" is from true, in float64.
double largest_mismatch(const std::vector<double>& shrinkage) {
  double mismatch = 0;
  for (std::size_t i = 0; i < shrinkage.size(); ++i) {
    const Worked worked = pool_worked(kPadAmounts[i]);
    const double lost = mass_lost(worked.scores, worked.pad_score, kPadAmounts[i]);
    mismatch = std::max(mismatch, std::fabs(shrinkage[i] - (1 - lost)));
  }
  return mismatch;
}

Json array(const std::vector<double>& values) { return Json::array_of(values); }

std::string range_of(const std::vector<double>& values, int decimals) {
  const auto [low, high] = std::ranges::minmax(values);
  return low == high ? fixed(low, decimals) : fixed(low, decimals) + " to " + fixed(high, decimals);
}

// The scores of PAD by epoch: the mean over seeds, and from the lowest to the highest seed.
viz::Curve by_epoch(const std::string& name, const Classification& experiment, Setting setting,
                    std::vector<double> ClassificationRun::*scores) {
  viz::Curve curve{name, {}};
  for (std::size_t epoch = 0;; ++epoch) {
    std::vector<double> values;
    for (const ClassificationRun& run : experiment.runs) {
      if (run.setting == setting && epoch < (run.*scores).size()) {
        values.push_back((run.*scores)[epoch]);
      }
    }
    if (values.empty()) return curve;
    const auto [low, high] = std::ranges::minmax(values);
    curve.points.push_back({static_cast<double>(epoch), {estimate(values).mean, low, high}});
  }
}

std::vector<std::string> level_row(const std::string& name, const ScoreLevels& levels) {
  return {name, fixed(levels.pad, 3), fixed(levels.low, 3), fixed(levels.median, 3),
          fixed(levels.high, 3)};
}

viz::Table score_table(const Classification& experiment) {
  viz::Table table{"Scores of the trained models' attention",
                   {"model", "PAD", "5\u00a0% of rows below", "median", "95\u00a0% below"},
                   {}};
  for (const ClassificationRun& run : experiment.runs) {
    const std::string name =
        std::string(setting_name(run.setting)) + ", seed " + std::to_string(run.seed);
    table.rows.push_back(level_row(name + ", words", run.word_scores));
    table.rows.push_back(level_row(name + ", sentences", run.sentence_scores));
  }
  return table;
}

std::vector<double> mean_loss_curve(const Classification& experiment, Setting setting) {
  std::vector<double> means;
  means.reserve(std::size(kPadAmounts));
  for (std::size_t i = 0; i < std::size(kPadAmounts); ++i) {
    means.push_back(estimate(experiment.of(setting, [i](const ClassificationRun& run) {
                      return run.mean_mass_lost[i];
                    })).mean);
  }
  return means;
}

double mean_loss(const std::vector<LossByPads>& bins) {
  double sum = 0, count = 0;
  for (const LossByPads& bin : bins) {
    sum += bin.mean_mass_lost * static_cast<double>(bin.sequences);
    count += static_cast<double>(bin.sequences);
  }
  return count == 0 ? 0 : sum / count;
}

double mean_word_loss(const ClassificationRun& run) { return mean_loss(run.word_loss); }
double mean_sentence_loss(const ClassificationRun& run) { return mean_loss(run.sentence_loss); }

}  // namespace

Finding pads_score_zero(Runtime& runtime, const Classification& experiment) {
  Weights worked_exact = pool_worked_exactly(runtime, kExamplePads).weights;
  worked_exact.resize(kSteps);
  const double worked = worked_scorer(1).pad_score(), flipped = worked_scorer(-1).pad_score();
  std::vector<double> trained;
  Json trained_json = Json::object();
  for (const Setting setting : kSettings) {
    const auto word = [](const ClassificationRun& run) { return run.word_scores.pad; };
    const auto sentence = [](const ClassificationRun& run) { return run.sentence_scores.pad; };
    const std::vector<double> words = experiment.of(setting, word);
    const std::vector<double> sentences = experiment.of(setting, sentence);
    trained.insert(trained.end(), words.begin(), words.end());
    trained.insert(trained.end(), sentences.begin(), sentences.end());
    trained_json.set(setting_name(setting),
                     Json::object().set("words", array(words)).set("sentences", array(sentences)));
  }
  const std::vector<double> word_losses = experiment.of(Setting::no_mask, mean_word_loss);
  const std::vector<double> sentence_losses = experiment.of(Setting::no_mask, mean_sentence_loss);
  const bool zero_by_rule = worked == 0 && flipped == 0;
  const bool zero_in_training = std::ranges::all_of(trained, [](double s) { return s == 0; });

  Finding finding{.id = "S6",
                  .title = "Zero-padded outputs do little harm",
                  .claim = "Zero-padded RNN outputs score 0, so they do little harm"};
  finding.verdict = zero_by_rule && zero_in_training     ? Verdict::holds
                    : !zero_by_rule && !zero_in_training ? Verdict::fails
                                                         : Verdict::mixed;
  finding.because = message(
      "PAD scores u·tanh(b): ", fixed(worked, 4), " in the worked example, ", fixed(flipped, 4),
      " with b of the other sign, ", range_of(trained, 2),
      " in the trained models; unmasked, pads take ", fixed(100 * estimate(word_losses).mean, 1),
      "\u00a0% of a sentence's and ", fixed(100 * estimate(sentence_losses).mean, 1),
      "\u00a0% of a document's attention in batches of ", experiment.evaluation_batch, ".");
  finding.numbers.set("worked_pad_score", worked)
      .set("worked_pad_score_b_flipped", flipped)
      .set("worked_weights_exact", numbers(worked_exact))
      .set("worked_weights_two_pads", array(pool_worked(kExamplePads).weights))
      .set("trained_pad_scores", std::move(trained_json))
      .set("mean_word_mass_lost", array(word_losses))
      .set("mean_sentence_mass_lost", array(sentence_losses));

  viz::LineChart chart;
  chart.alternative = {"S6-epochs", "PAD's score while the models are trained",
                       "It is 0 before the first step, since b is, and drifts wherever training "
                       "takes b and u."};
  chart.x_label = "epochs of training";
  chart.y_label = "score of PAD, u·tanh(b)";
  chart.y_covers = {0};
  for (const Setting setting : kSettings) {
    const std::string name(setting_name(setting));
    chart.curves.push_back(
        by_epoch(name + ", words", experiment, setting, &ClassificationRun::word_pad_scores));
    chart.curves.push_back(by_epoch(name + ", sentences", experiment, setting,
                                    &ClassificationRun::sentence_pad_scores));
  }
  finding.blocks.figure(
      {line_chart(chart),
       "The mean over the seeds; bands reach from the lowest seed to the highest. A score of 0 "
       "would not be harmless either (S1); what counts is where it lies among the real ones."});
  viz::Blocks table;
  table.table(score_table(experiment));
  finding.blocks.details("PAD's score among those of real rows, by model", table);
  return finding;
}

Finding only_relative_weights_matter(Runtime& runtime, const Classification& experiment) {
  const std::vector<double> shrinkage =
      length_ratios([](std::size_t pads) { return pool_worked(pads).pooled; });
  const std::vector<double> shrinkage_exact = length_ratios(
      [&runtime](std::size_t pads) { return pool_worked_exactly(runtime, pads).pooled; });
  const auto changed = [](const ClassificationRun& run) { return run.company.predictions; };
  const auto scores = [](const ClassificationRun& run) { return run.company.scores; };
  const auto largest = [](const ClassificationRun& run) { return run.company.largest_change; };
  const std::vector<double> changed_padded = experiment.of(Setting::no_mask, changed);
  const std::vector<double> scores_padded = experiment.of(Setting::no_mask, scores);
  const std::vector<double> scores_exact = experiment.of(Setting::exact, scores);
  const std::vector<double> lost = mean_loss_curve(experiment, Setting::no_mask);

  const bool shrinks = shrinkage.back() < 1;
  const bool scores_differ = std::ranges::any_of(scores_padded, [](double s) { return s > 0; });
  const bool labels_differ = std::ranges::any_of(changed_padded, [](double s) { return s > 0; });
  Finding finding{.id = "S7",
                  .title = "Re-normalising hardly matters",
                  .claim = "Only relative weights matter, so re-normalising hardly matters"};
  finding.verdict = labels_differ              ? Verdict::fails
                    : shrinks || scores_differ ? Verdict::mixed
                                               : Verdict::holds;
  finding.because = message(
      "The pooled vector shrinks by what the pads take: to ", fixed(shrinkage[2], 3),
      " of its length with 2 pads and ", fixed(shrinkage[6], 3),
      " with 32 in the worked example. Between a text alone and the same text in a batch of ",
      experiment.evaluation_batch, ", the unmasked models give other scores for ",
      viz::trimmed(100 * estimate(scores_padded).mean, 1),
      "\u00a0% of the test texts and another label for ",
      fixed(100 * estimate(changed_padded).mean, 2), "\u00a0%; the exact ones for ",
      viz::trimmed(100 * estimate(scores_exact).mean, 2), "\u00a0% and ",
      viz::trimmed(100 * estimate(experiment.of(Setting::exact, changed)).mean, 2), "\u00a0%.");
  finding.numbers.set("pads", Json::array_of(kPadAmounts))
      .set("worked_length_ratio", array(shrinkage))
      .set("worked_length_ratio_exact", numbers(shrinkage_exact))
      .set("largest_mismatch_with_mass_lost", largest_mismatch(shrinkage))
      .set("trained_mean_mass_lost", array(lost))
      .set("trained_without_pads_mean_mass_lost",
           array(mean_loss_curve(experiment, Setting::exact)))
      .set("changed_predictions", array(changed_padded))
      .set("changed_scores", array(scores_padded))
      .set("largest_score_change", array(experiment.of(Setting::no_mask, largest)))
      .set("changed_scores_exact", array(scores_exact));

  viz::LineChart chart;
  chart.alternative = {"S7-length", "What is left of the pooled vector as pads are added",
                       "Its length with pads over its length without."};
  chart.x_label = "pads behind the sequence";
  chart.y_label = "length kept";
  chart.log_x = true;
  chart.y_covers = {0, 1};
  const std::vector<double> unprepared = mean_loss_curve(experiment, Setting::exact);
  viz::Curve example{"worked example", {}}, trained{"trained with pads", {}},
      untrained{"trained without, asked with", {}}, exact{"padless", {}};
  for (std::size_t i = 1; i < std::size(kPadAmounts); ++i) {
    const auto pads = static_cast<double>(kPadAmounts[i]);
    example.points.push_back({pads, {shrinkage[i]}});
    trained.points.push_back({pads, {1 - lost[i]}});
    untrained.points.push_back({pads, {1 - unprepared[i]}});
    exact.points.push_back({pads, {shrinkage_exact[i]}});
  }
  chart.curves = {example, trained, untrained, exact};
  finding.blocks.figure(
      {line_chart(chart),
       "The same sentence, pooled with ever more zero rows behind it: what is left depends on the "
       "longest sentence it happens to be batched with. Trained: the attention over words, mean "
       "over test sentences (float64). Training with pads teaches a model to score words above "
       "PAD; a model trained without them has had no reason to."});
  return finding;
}

}  // namespace padless::study
