#include "padless/study/encoder_report.h"

#include <functional>
#include <utility>
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
using Run = EncoderRun;
using Number = std::function<double(const Run&)>;

double accuracy(const Run& run) { return run.test.accuracy; }
double macro_f1(const Run& run) { return run.test.macro_f1; }
double accuracy_alone(const Run& run) { return run.test_alone.accuracy; }
double changed(const Run& run) { return run.company.predictions; }
double changed_scores(const Run& run) { return run.company.scores; }
double largest(const Run& run) { return run.company.largest_change; }
double speed(const Run& run) { return run.training_words_per_second; }

double mean_of(const EncoderClassification& experiment, Setting setting, const Number& number) {
  return estimate(experiment.of(setting, number)).mean;
}

std::size_t seeds(const EncoderClassification& experiment) {
  return experiment.runs.size() / kSettings.size();
}

viz::Table results(const EncoderClassification& experiment) {
  const auto of = [&](const Number& number) { return by_setting(experiment, number); };
  return comparison_table(
      caption_of_seeds("Test texts, ", seeds(experiment)),
      {{.name = "accuracy", .values = of(accuracy)},
       {.name = "macro F1", .values = of(macro_f1)},
       {.name = "accuracy one by one", .values = of(accuracy_alone)},
       {.name = "labels that change, %", .values = of(changed), .decimals = 2, .scale = 100},
       {.name = "scores that change, %", .values = of(changed_scores), .decimals = 1, .scale = 100},
       {.name = "largest score change", .values = of(largest)},
       {.name = "training, 1000 words/s", .values = of(speed), .decimals = 0, .scale = 1e-3}});
}

viz::Figure accuracy_picture(const EncoderClassification& experiment) {
  viz::StripChart chart;
  chart.alternative = {"encoder-accuracy", "Accuracy of the encoders by seed", ""};
  chart.value_label = "accuracy";
  for (const Setting setting : kSettings) {
    add_strip(chart, message(setting_name(setting), ", batch"), experiment.of(setting, accuracy));
    add_strip(chart, message(setting_name(setting), ", alone"),
              experiment.of(setting, accuracy_alone));
  }
  return {strip_chart(chart), message("Asked in batches of ", experiment.evaluation_batch,
                                      " and one by one; one dot a seed.")};
}

}  // namespace

std::string encoder_finding(const EncoderClassification& experiment) {
  const double exact = mean_of(experiment, Setting::exact, changed_scores);
  return message("A Transformer encoder that attends to PADs gives ",
                 percent(mean_of(experiment, Setting::no_mask, changed), 1),
                 " of the texts another label alone than in a batch of ",
                 experiment.evaluation_batch,
                 exact == 0 ? std::string("; without pads not one bit changes.")
                            : message("; without pads ", percent(exact, 2), " of the scores."));
}

void describe_encoder(const EncoderClassification& experiment, viz::Blocks& blocks) {
  const TransformerEncoderConfig& model = experiment.model;
  blocks.paragraph(message(
      "The same texts and classes, but a Transformer encoder of ", model.layers, " layers, ",
      model.heads, " heads and width ", model.width,
      ", whose rows are averaged. no_mask: texts are "
      "filled up with PAD to the longest of their batch, and PAD is a word like any other: it has "
      "a vector, attends, is attended to and is averaged. In the test's batches ",
      percent(experiment.test_padding, 0), " of the slots are PADs."));
  blocks.paragraph(encoder_finding(experiment));
  blocks.table(results(experiment));
  const std::vector<viz::Figure> figures = {
      accuracy_picture(experiment),
      changed_labels_picture("encoder-changed", experiment.evaluation_batch,
                             by_setting(experiment, changed))};
  blocks.figures(figures);
  if (seeds(experiment) == 1) {
    blocks.paragraph(
        "One seed shows how much answers depend on the batch, not which model is better.");
  }
}

Json encoder_json(const EncoderClassification& experiment) {
  Json out = Json::object();
  for (const Setting setting : kSettings) {
    const auto each = [&](const Number& number) {
      return Json::array_of(experiment.of(setting, number));
    };
    out.set(setting_name(setting), Json::object()
                                       .set("accuracy", each(accuracy))
                                       .set("macro_f1", each(macro_f1))
                                       .set("changed_predictions", each(changed))
                                       .set("changed_scores", each(changed_scores))
                                       .set("largest_score_change", each(largest))
                                       .set("accuracy_one_by_one", each(accuracy_alone))
                                       .set("training_words_per_second", each(speed)));
  }
  return out;
}

}  // namespace padless::study
