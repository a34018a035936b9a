#include "padless/study/five_words_report.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "padless/core/error.h"
#include "padless/study/comparison.h"
#include "padless/study/estimate_text.h"
#include "padless/study/statistics.h"
#include "padless/viz/chart.h"
#include "padless/viz/heatmap.h"
#include "padless/viz/number.h"

namespace padless::study {
namespace {

using viz::fixed;
using viz::Verdict;
using Run = FiveWordsRun;
using Training = FiveWordTraining;
using Number = std::function<double(const Run&)>;

double loss(const Run& run) { return run.loss(); }
double accuracy(const Run& run) { return run.accuracy(); }
double mean_accuracy(const Run& run) { return run.mean_accuracy(); }
double pads_said(const Run& run) { return run.pad_predicted(); }
double pads_said_in_training(const Run& run) { return run.mean_pad_predicted(); }

std::vector<double> noise(const FiveWords& experiment, double GradientNoise::*which) {
  std::vector<double> out;
  out.reserve(experiment.noise.size());
  for (const GradientNoise& one : experiment.noise) out.push_back(one.*which);
  return out;
}

// Unmasked minus masked, seed by seed.
Estimate gap(const FiveWords& experiment, Training unmasked, const Number& number) {
  return paired_difference(experiment.of(unmasked, number),
                           experiment.of(Training::masked, number));
}

// The training's name as the report writes it.
std::string title(Training training) {
  switch (training) {
    case Training::masked:
      return "masked";
    case Training::unmasked:
      return "unmasked, loss of all slots";
    case Training::unmasked_real_loss:
      return "unmasked, loss of real slots";
  }
  return "";
}

viz::Figure curve_picture(const FiveWords& experiment) {
  viz::LineChart chart;
  chart.alternative = {"five-loss", "Loss of the real slots while the models are trained", ""};
  chart.x_label = "steps of training";
  chart.y_label = "loss of a word";
  chart.y_covers = {0};
  const std::vector<std::size_t> steps = experiment.curve_steps();
  for (const Training training : kFiveWordTrainings) {
    viz::Curve curve{title(training), {}};
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const std::vector<double> values =
          experiment.of(training, [i](const Run& run) { return run.losses[i]; });
      curve.points.push_back({static_cast<double>(steps[i]), drawn(estimate(values))});
    }
    chart.alternative.description +=
        message(curve.name, ": from ", fixed(curve.points.front().y.value, 2), " to ",
                fixed(curve.points.back().y.value, 4), ". ");
    chart.curves.push_back(std::move(curve));
  }
  return {
      line_chart(chart),
      message("Cross-entropy over the five real slots of the batch; means of ",
              seeds_of(experiment.options.seeds.size()), " with their 95 % intervals as bands.")};
}

viz::Figure asked_picture(const FiveWords& experiment) {
  viz::LineChart chart;
  chart.alternative = {"five-pads", "Loss of the trained models by the padding they are asked with",
                       ""};
  chart.x_label = "PADs behind each sentence";
  chart.y_label = "loss of a word";
  chart.y_covers = {0};
  for (const Training training : kFiveWordTrainings) {
    viz::Curve curve{title(training), {}};
    for (std::size_t i = 0; i < kAskedPads.size(); ++i) {
      const std::vector<double> values =
          experiment.of(training, [i](const Run& run) { return run.loss_by_pads[i]; });
      const auto [low, high] = std::ranges::minmax(values);
      curve.points.push_back(
          {static_cast<double>(kAskedPads[i]), {estimate(values).mean, low, high}});
    }
    chart.alternative.description +=
        message(curve.name, ": ", fixed(curve.points.front().y.value, 4), " without, ",
                fixed(curve.points.back().y.value, 4), " with ", kAskedPads.back(), " PADs. ");
    chart.curves.push_back(std::move(curve));
  }
  return {
      line_chart(chart),
      "The same two sentences, asked with other amounts of padding than the models were trained "
      "with; bands reach from the lowest seed to the highest. Masked models cannot see it."};
}

viz::Figure vector_picture(const FiveWords& experiment) {
  viz::StripChart chart;
  chart.alternative = {"five-vector", "The vector of дом in three runs",
                       "Each row shows the numbers of one vector as dots: alone and masked are "
                       "equal, unmasked is not."};
  chart.value_label = "numbers of the vector";
  const auto strip = [&chart](const std::string& name, const std::vector<float>& vector) {
    chart.strips.push_back({name, {vector.begin(), vector.end()}, {}});
  };
  strip("alone", experiment.alone);
  strip("masked", experiment.masked);
  strip("unmasked", experiment.unmasked);
  return {strip_chart(chart), "All numbers of the output vector, one dot each."};
}

viz::Table change_table(const FiveWords& experiment) {
  viz::Table table{"How far the vector of дом is from the one alone, in lengths of that",
                   {"PADs", "masked", "same bits", "unmasked"},
                   {}};
  for (const VectorChange& change : experiment.changes) {
    table.rows.push_back({message(change.pads), viz::trimmed(change.masked, 4),
                          change.masked_same_bits ? "yes" : "no", fixed(change.unmasked, 4)});
  }
  return table;
}

void describe_attention(const FiveWords& experiment, viz::Blocks& blocks) {
  std::vector<viz::Figure> figures;
  std::size_t number = 0;
  for (const SlotAttention& seen : experiment.attention) {
    ++number;
    const auto matrix = [&](const char* when, const std::vector<float>& weights,
                            const std::string& caption) {
      figures.push_back(
          {viz::heatmap_matrix(
               {{message("five-", when, "-", number),
                 message("Attention ", when, " the mask, sentence ", number), caption},
                seen.slots,
                seen.slots,
                weights,
                1}),
           caption});
    };
    matrix("before", seen.before, "Before the mask: PADs attend and are attended to.");
    matrix("after", seen.after,
           "After: rows over the real words alone; hatched is never computed.");
  }
  blocks.subheading("Attention before and after the mask");
  blocks.figures(figures);
}

viz::Table training_table(const FiveWords& experiment) {
  const auto of = [&](const Number& number) {
    Compared values;
    values.reserve(kFiveWordTrainings.size());
    for (const FiveWordTraining training : kFiveWordTrainings) {
      values.push_back(experiment.of(training, number));
    }
    return values;
  };
  return comparison_table(
      message(
          "After ", experiment.options.steps, " steps, over the real slots; means of ",
          seeds_of(experiment.options.seeds.size()),
          "; ± half a 95 % interval (Student's t). The unmasked loss counts all slots, the real "
          "loss those without PAD"),
      {"masked", "unmasked", "unmasked, real loss"},
      {{.name = "loss of a word", .values = of(loss), .decimals = 5},
       {.name = "words said right, %", .values = of(accuracy), .decimals = 1, .scale = 100},
       {.name = "the same, while training, %",
        .values = of(mean_accuracy),
        .decimals = 1,
        .scale = 100},
       {.name = "PAD said, %", .values = of(pads_said), .decimals = 1, .scale = 100},
       {.name = "the same, while training, %",
        .values = of(pads_said_in_training),
        .decimals = 1,
        .scale = 100}});
}

viz::Figure noise_picture(const FiveWords& experiment) {
  viz::StripChart chart;
  chart.alternative = {"five-noise", "Gradient noise of one sentence over its batch mates", ""};
  chart.value_label = "variance over mates, share of the mean gradient's square";
  chart.decimals = 4;
  const auto strip = [&](const std::string& name, double GradientNoise::*which) {
    const std::vector<double> values = noise(experiment, which);
    const Estimate e = estimate(values);
    chart.strips.push_back({name, values, drawn(e)});
    chart.alternative.description += message(name, ": ", spelled(e, 4), ". ");
  };
  strip("masked", &GradientNoise::masked);
  strip("unmasked", &GradientNoise::unmasked);
  return {strip_chart(chart),
          message("The gradient of the first sentence's loss before training, in batches with ",
                  experiment.options.batch_mates,
                  " other sentences of 1 to 16 words, one at a time. One dot a seed.")};
}

Json lists(const std::vector<std::vector<double>>& all) {
  Json out = Json::array();
  for (const std::vector<double>& one : all) out.push(Json::array_of(one));
  return out;
}

}  // namespace

void describe_five_words(const FiveWords& experiment, viz::Blocks& blocks) {
  blocks.paragraph(message(
      "The experiment that everybody tries first: five words and PAD, a batch of two sentences, "
      "[[кошка, сидит, на, окне, PAD], [дом, PAD, PAD, PAD, PAD]], and a Transformer encoder of ",
      experiment.layers, " layers, ", experiment.heads, " heads and width ", experiment.width, " (",
      experiment.parameters, " parameters) that learns to say each word again."));
  const VectorChange& own = experiment.changes[2];
  blocks.paragraph(
      message("The vector of дом out of the padded batch, through a mask, ",
              experiment.masked_equals_alone ? "has the same bits as that of дом alone"
                                             : "differs in its bits from that of дом alone",
              ". Without a mask, with its ", own.pads, " PADs, it lies ", fixed(own.unmasked, 2),
              " times that vector's length away; how far depends on how many PADs there are. The "
              "model is the masked one of the first seed, trained."));
  const std::vector<viz::Figure> vectors = {vector_picture(experiment)};
  blocks.table(change_table(experiment));
  blocks.figures(vectors);
  describe_attention(experiment, blocks);
  blocks.paragraph(
      "The first layer's first head of the same model; a row is a query and adds up to 1.");
  blocks.subheading("Training with and without the mask");
  blocks.table(training_table(experiment));
  blocks.paragraph(
      "unmasked: PADs are words, and the loss counts that they are said, too. unmasked, real loss: "
      "they are attended to, but the loss counts the five real slots alone, as that of masked "
      "does.");
  const std::vector<viz::Figure> figures = {curve_picture(experiment), asked_picture(experiment)};
  blocks.figures(figures);
}

Json five_words_json(const FiveWords& experiment) {
  Json losses = Json::object(), curves = Json::object(), pads = Json::object(),
       pads_in_training = Json::object(), accuracies = Json::object(), asked = Json::object();
  for (const Training training : kFiveWordTrainings) {
    const std::string_view name = training_name(training);
    std::vector<std::vector<double>> curve, by_pads;
    for (const Run& run : experiment.runs) {
      if (run.training != training) continue;
      curve.push_back(run.losses);
      by_pads.emplace_back(run.loss_by_pads.begin(), run.loss_by_pads.end());
    }
    losses.set(name, Json::array_of(experiment.of(training, loss)));
    accuracies.set(name, Json::array_of(experiment.of(training, accuracy)));
    curves.set(name, lists(curve));
    asked.set(name, lists(by_pads));
    pads.set(name, estimate(experiment.of(training, pads_said)).mean);
    pads_in_training.set(name, estimate(experiment.of(training, pads_said_in_training)).mean);
  }
  const std::vector<double> masked_noise = noise(experiment, &GradientNoise::masked);
  const std::vector<double> unmasked_noise = noise(experiment, &GradientNoise::unmasked);
  Json changes = Json::array();
  for (const VectorChange& change : experiment.changes) {
    changes.push(Json::object()
                     .set("pads", change.pads)
                     .set("masked", change.masked)
                     .set("masked_same_bits", change.masked_same_bits)
                     .set("unmasked", change.unmasked));
  }
  return Json::object()
      .set("alone", Json::array_of(experiment.alone))
      .set("masked", Json::array_of(experiment.masked))
      .set("unmasked", Json::array_of(experiment.unmasked))
      .set("masked_equals_alone", experiment.masked_equals_alone)
      .set("vector_change_by_pads", std::move(changes))
      .set("loss", std::move(losses))
      .set("accuracy", std::move(accuracies))
      .set("loss_curves", std::move(curves))
      .set("curve_steps", Json::array_of(experiment.curve_steps()))
      .set("loss_by_asked_pads", std::move(asked))
      .set("asked_pads", Json::array_of(kAskedPads))
      .set("pad_predicted", std::move(pads))
      .set("pad_predicted_in_training", std::move(pads_in_training))
      .set("gradient_noise", Json::object()
                                 .set("masked", estimate(masked_noise).mean)
                                 .set("unmasked", estimate(unmasked_noise).mean))
      .set("gradient_noise_by_seed", Json::object()
                                         .set("masked", Json::array_of(masked_noise))
                                         .set("unmasked", Json::array_of(unmasked_noise)))
      .set("seeds", Json::array_of(experiment.options.seeds));
}

namespace {

// One part of the claim, and what the run says of it.
struct Part {
  std::string name;
  bool holds = false;
  std::string numbers;
};

std::vector<Part> parts_of(const FiveWords& experiment) {
  const Estimate losses = gap(experiment, Training::unmasked, loss);
  const Estimate real_losses = gap(experiment, Training::unmasked_real_loss, loss);
  const Estimate accuracies = gap(experiment, Training::unmasked, accuracy);
  const Estimate mean_accuracies = gap(experiment, Training::unmasked, mean_accuracy);
  const Estimate masked_pads = estimate(experiment.of(Training::masked, pads_said_in_training));
  const Estimate unmasked_pads = estimate(experiment.of(Training::unmasked, pads_said_in_training));
  const std::vector<double> masked_noise = noise(experiment, &GradientNoise::masked);
  const std::vector<double> unmasked_noise = noise(experiment, &GradientNoise::unmasked);
  const auto above_zero = [](const Estimate& e) { return e.mean > 0 && e.excludes(0); };
  const auto below_zero = [](const Estimate& e) { return e.mean < 0 && e.excludes(0); };
  bool less_noise = true;
  for (std::size_t i = 0; i < masked_noise.size(); ++i) {
    less_noise = less_noise && masked_noise[i] < unmasked_noise[i];
  }
  const auto minus = [](const Estimate& e) {
    return message("unmasked minus masked ", spelled(e, 5));
  };
  return {
      {"lower loss (against a loss of all slots)", above_zero(losses), minus(losses)},
      {"lower loss (against a loss of real slots)", above_zero(real_losses), minus(real_losses)},
      {"higher accuracy while training", below_zero(mean_accuracies),
       message("unmasked minus masked ", spelled(mean_accuracies, 4), "; masked ",
               spelled(estimate(experiment.of(Training::masked, mean_accuracy)), 3))},
      {"higher accuracy in the end", below_zero(accuracies),
       message("unmasked minus masked ", spelled(accuracies, 4), "; masked ",
               spelled(estimate(experiment.of(Training::masked, accuracy)), 3))},
      {"PAD never predicted", masked_pads.mean == 0,
       message("in training masked ", percent(masked_pads.mean, 2), " of the real slots, unmasked ",
               percent(unmasked_pads.mean, 2))},
      {"less noisy gradients", less_noise,
       message("masked ", spelled(estimate(masked_noise), 4), ", unmasked ",
               spelled(estimate(unmasked_noise), 4))}};
}

}  // namespace

Finding masks_help_training(const FiveWords& experiment) {
  const std::vector<Part> parts = parts_of(experiment);
  const auto holding = std::ranges::count_if(parts, &Part::holds);
  Finding finding{.id = "S9",
                  .title = "The mask makes training better",
                  .claim =
                      "With the mask, training reaches a lower loss, accuracy nearly always rises, "
                      "PAD is never predicted, and gradients are less noisy"};
  finding.verdict = holding == static_cast<std::ptrdiff_t>(parts.size()) ? Verdict::holds
                    : holding == 0                                       ? Verdict::fails
                                                                         : Verdict::mixed;
  std::string said, unsaid;
  viz::Table table{message("The claim's parts over ", seeds_of(experiment.options.seeds.size()),
                           "; an interval that holds 0 shows no difference"),
                   {"part", "holds", "numbers"},
                   {}};
  Json parts_json = Json::object();
  for (const Part& part : parts) {
    std::string& to = part.holds ? said : unsaid;
    to += (to.empty() ? "" : ", ") + part.name;
    table.rows.push_back({part.name, part.holds ? "yes" : "no", part.numbers});
    parts_json.set(part.name, part.holds);
  }
  finding.because =
      message("In the five-word experiment, ", seeds_of(experiment.options.seeds.size()), ": ",
              said.empty() ? "" : message("shown: ", said, unsaid.empty() ? "" : "; "),
              unsaid.empty() ? "" : message("not shown: ", unsaid),
              ". The gradient of one sentence varies by ",
              percent(estimate(noise(experiment, &GradientNoise::unmasked)).mean, 1),
              " of its square over its batch mates without a mask, and by ",
              viz::trimmed(100 * estimate(noise(experiment, &GradientNoise::masked)).mean, 4),
              "\u00a0% with padless.");
  const auto interval = [](const Estimate& e) {
    return Json::object()
        .set("mean", e.mean)
        .set("low", e.half ? Json(e.mean - *e.half) : Json())
        .set("high", e.half ? Json(e.mean + *e.half) : Json());
  };
  finding.numbers.set("parts", std::move(parts_json))
      .set("loss_unmasked_minus_masked", interval(gap(experiment, Training::unmasked, loss)))
      .set("loss_unmasked_real_loss_minus_masked",
           interval(gap(experiment, Training::unmasked_real_loss, loss)))
      .set("accuracy_unmasked_minus_masked",
           interval(gap(experiment, Training::unmasked, accuracy)))
      .set("mean_accuracy_unmasked_minus_masked",
           interval(gap(experiment, Training::unmasked, mean_accuracy)))
      .set("gradient_noise_masked", Json::array_of(noise(experiment, &GradientNoise::masked)))
      .set("gradient_noise_unmasked", Json::array_of(noise(experiment, &GradientNoise::unmasked)))
      .set("seeds", experiment.options.seeds.size());
  finding.blocks.table(table);
  finding.blocks.figure(noise_picture(experiment));
  finding.blocks.paragraph(
      "Two sentences and six ids are little to learn from: the real experiment above says what the "
      "treatment of pads does to accuracy on real texts.");
  return finding;
}

}  // namespace padless::study
