#include "padless/study/regression_report.h"

#include <functional>
#include <vector>

#include "padless/core/error.h"
#include "padless/study/comparison.h"
#include "padless/study/estimate_text.h"
#include "padless/study/statistics.h"
#include "padless/viz/chart.h"
#include "padless/viz/number.h"

namespace padless::study {
namespace {

using viz::fixed;
using Run = RegressionRun;
using Number = std::function<double(const Run&)>;

double mae(const Run& run) { return run.test.mae; }
double changed(const Run& run) { return run.changed; }
double largest(const Run& run) { return run.largest_change; }
double mean_change(const Run& run) { return run.mean_change; }

double mean_of(const Regression& experiment, Setting setting, const Number& number) {
  return estimate(experiment.of(setting, number)).mean;
}

viz::Table results(const Regression& experiment) {
  const auto of = [&](const Number& number) { return by_setting(experiment, number); };
  return comparison_table(
      caption_of_seeds("Test texts, ", experiment.runs.size() / kSettings.size()),
      {{.name = "mean absolute error", .values = of(mae)},
       {.name = "R²", .values = of([](const Run& run) { return run.test.r2; })},
       {.name = "Spearman", .values = of([](const Run& run) { return run.test.spearman; })},
       {.name = "error one by one",
        .values = of([](const Run& run) { return run.test_alone.mae; })},
       {.name = "numbers that change, %", .values = of(changed), .decimals = 1, .scale = 100},
       {.name = "largest change", .values = of(largest)},
       {.name = "mean change", .values = of(mean_change), .decimals = 4}});
}

viz::Figure error_picture(const Regression& experiment) {
  viz::StripChart chart;
  chart.alternative = {"regression-error", "Mean absolute error on the test texts by seed", ""};
  chart.value_label = "mean absolute error";
  for (const Setting setting : kSettings) {
    add_strip(chart, std::string(setting_name(setting)), experiment.of(setting, mae));
  }
  const double guess = experiment.mean_guessed.mae;
  chart.strips.push_back({"mean guessed", {}, {guess}});
  chart.alternative.description +=
      message("The mean of the training texts: ", fixed(guess, 3), ".");
  return {strip_chart(chart),
          "One dot a seed. Guessed: the mean of the training texts as the answer to all."};
}

viz::Figure change_picture(const Regression& experiment) {
  viz::BarChart chart;
  chart.alternative = {"regression-change", "How far a text's number moves with its batch", ""};
  chart.value_label = message("change between alone and a batch of ", experiment.evaluation_batch);
  chart.series = {"largest", "mean"};
  chart.decimals = 4;
  for (const Setting setting : kSettings) {
    const std::vector<double> most = experiment.of(setting, largest);
    const std::vector<double> mean = experiment.of(setting, mean_change);
    chart.groups.push_back({std::string(setting_name(setting)),
                            {{{estimate(most).mean}, most}, {{estimate(mean).mean}, mean}}});
    chart.alternative.description +=
        message(setting_name(setting), ": largest ", fixed(estimate(most).mean, 4), ", mean ",
                fixed(estimate(mean).mean, 4), ". ");
  }
  return {bar_chart(chart), "In the target's units; dots are seeds."};
}

viz::Table seed_table(const Regression& experiment) {
  viz::Table table{"Every run",
                   {"run", "mean absolute error", "R²", "Spearman", "changed, %", "best epoch"},
                   {}};
  for (const Run& run : experiment.runs) {
    table.rows.push_back({message(setting_name(run.setting), ", seed ", run.seed),
                          fixed(run.test.mae, 4), fixed(run.test.r2, 4),
                          fixed(run.test.spearman, 4), fixed(100 * run.changed, 2),
                          message(run.best_epoch, " of ", run.epochs)});
  }
  return table;
}

}  // namespace

std::string regression_finding(const Regression& experiment) {
  const double exact = mean_of(experiment, Setting::exact, changed);
  return message("Asked for a number instead of a class, the unmasked HAN gives ",
                 percent(mean_of(experiment, Setting::no_mask, changed), 1), " of ",
                 experiment.test_texts, " texts another number alone than in a batch of ",
                 experiment.evaluation_batch, ", by up to ",
                 fixed(mean_of(experiment, Setting::no_mask, largest), 2),
                 " where its mean error is ", fixed(mean_of(experiment, Setting::no_mask, mae), 2),
                 exact == 0 ? std::string("; without pads not one bit changes.")
                            : message("; without pads ", percent(exact, 2), "."));
}

void describe_regression(const StudyResult& result, viz::Blocks& blocks) {
  if (!result.regression) {
    blocks.paragraph("These texts have no numbers, so that nothing was run here.");
    return;
  }
  const Regression& experiment = *result.regression;
  blocks.paragraph(
      message("The same texts and the same two models, but what they learn is a number: ",
              result.data.target,
              ". It is learnt with its mean taken away and divided "
              "by its deviation (",
              fixed(experiment.target_deviation, 2),
              "), by mean squared error; everything below is in its own units."));
  blocks.paragraph(regression_finding(experiment));
  blocks.table(results(experiment));
  const std::vector<viz::Figure> figures = {error_picture(experiment), change_picture(experiment)};
  blocks.figures(figures);
  const std::size_t seeds = experiment.runs.size() / kSettings.size();
  if (seeds == 1) {
    blocks.paragraph(
        "One seed shows how much answers depend on the batch, not which model is better.");
  }
  viz::Blocks inner;
  inner.table(seed_table(experiment));
  blocks.details("Every run", inner);
}

}  // namespace padless::study
