#include "padless/study/classification_report.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
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
using Run = ClassificationRun;
using Number = std::function<double(const Run&)>;

double accuracy(const Run& run) { return run.test.accuracy; }
double macro_f1(const Run& run) { return run.test.macro_f1; }
double changed(const Run& run) { return run.company.predictions; }
double changed_scores(const Run& run) { return run.company.scores; }
double speed(const Run& run) { return run.training_words_per_second; }

// Half the 95 % interval of a share that was found among so many (the binomial's normal limit).
double sampling_error(double share, std::size_t count) {
  return 1.96 * std::sqrt(share * (1 - share) / static_cast<double>(count));
}

Estimate accuracy_gain(const Classification& experiment) {
  return paired_difference(experiment.of(Setting::exact, accuracy),
                           experiment.of(Setting::no_mask, accuracy));
}

// What the interval of the difference allows to say.
std::string gain_in_words(const Estimate& gain) {
  const std::string interval =
      gain.half
          ? message("95\u00a0% interval ", fixed(100 * (gain.mean - *gain.half), 1), " to ",
                    fixed(100 * (gain.mean + *gain.half), 1), " points, ", seeds_of(gain.count))
          : std::string("one seed, hence no interval");
  const std::string difference = message(fixed(100 * gain.mean, 1), " points (", interval, ")");
  if (!gain.half) {
    return message("Accuracy differs by ", difference, ": one seed shows nothing yet.");
  }
  if (!gain.excludes(0)) {
    return message("On these texts, leaving the pads out changes accuracy by ", difference,
                   ": the interval holds 0, so this run shows no difference in accuracy.");
  }
  return message("On these texts, leaving the pads out ", gain.mean > 0 ? "raises" : "lowers",
                 " accuracy by ", difference, ".");
}

viz::Table results(const Classification& experiment) {
  const auto of = [&](const Number& number) { return by_setting(experiment, number); };
  return comparison_table(caption_of_seeds("Means of ", experiment.runs.size() / kSettings.size()),
                          {{.name = "accuracy", .values = of(accuracy)},
                           {.name = "macro F1", .values = of(macro_f1)},
                           {.name = "accuracy one by one",
                            .values = of([](const Run& run) { return run.test_alone.accuracy; })},
                           {.name = "labels that change, %",
                            .values = of(changed),
                            .decimals = 2,
                            .scale = 100,
                            .interval = false},
                           {.name = "scores that change, %",
                            .values = of(changed_scores),
                            .decimals = 1,
                            .scale = 100,
                            .interval = false},
                           {.name = "largest score change of a seed",
                            .values = of([](const Run& run) { return run.company.largest_change; }),
                            .interval = false},
                           {.name = "training, 1000 words/s",
                            .values = of(speed),
                            .decimals = 0,
                            .scale = 1e-3,
                            .interval = false}});
}

viz::Table seed_table(const Classification& experiment) {
  viz::Table table{
      "Every run", {"run", "accuracy", "macro F1", "changed labels, %", "best epoch"}, {}};
  for (const Run& run : experiment.runs) {
    table.rows.push_back({message(setting_name(run.setting), ", seed ", run.seed),
                          fixed(run.test.accuracy, 4), fixed(run.test.macro_f1, 4),
                          fixed(100 * run.company.predictions, 2),
                          message(run.best_epoch, " of ", run.epochs)});
  }
  return table;
}

viz::Figure accuracy_picture(const Classification& experiment) {
  viz::StripChart chart;
  chart.alternative = {"accuracy", "Accuracy on the test texts by seed", ""};
  chart.value_label = "accuracy";
  for (const Setting setting : kSettings) {
    add_strip(chart, std::string(setting_name(setting)), experiment.of(setting, accuracy));
  }
  return {strip_chart(chart), "One dot a seed; the mean and its 95 % interval."};
}

viz::Figure loss_picture(const Classification& experiment) {
  viz::LineChart chart;
  chart.alternative = {"mass", "Attention lost to pads by how many there are",
                       "Mean over the sequences of the test batches, unmasked models; more pads "
                       "take more."};
  chart.x_label = "pads behind the sequence";
  chart.y_label = "attention lost";
  chart.y_covers = {0};
  chart.log_x = true;
  const auto curve = [&](const std::string& name, std::vector<LossByPads> Run::*bins) {
    viz::Curve out{name, {}};
    for (std::size_t low = 1; low <= std::size_t{1} << 20; low *= 2) {
      std::vector<double> values;
      for (const Run& run : experiment.runs) {
        if (run.setting != Setting::no_mask) continue;
        for (const LossByPads& bin : run.*bins) {
          if (bin.low == low) values.push_back(bin.mean_mass_lost);
        }
      }
      if (values.empty()) continue;
      // The middle of the bin low..2 low - 1, as the axis sees it.
      const auto middle = static_cast<double>(low) * 1.5 - 0.5;
      const auto [least, most] = std::ranges::minmax(values);
      out.points.push_back({middle, {estimate(values).mean, least, most}});
    }
    chart.curves.push_back(out);
  };
  curve("words", &Run::word_loss);
  curve("sentences", &Run::sentence_loss);
  return {line_chart(chart),
          message("Share of a sentence's (words) and of a document's attention (sentences) that "
                  "the unmasked models give to pads, in batches of ",
                  experiment.evaluation_batch,
                  " texts; bands reach from the lowest seed to the highest.")};
}

viz::Table data_table(const StudyResult& result) {
  const Classification& e = result.classification;
  const TextTraining& training = result.settings.training;
  const auto& model = std::get<HanConfig>(training.model);
  return {
      "The experiment",
      {"what", "value"},
      {{"texts to train, validate, test",
        message(e.train_texts, ", ", e.validation_texts, ", ", e.test_texts)},
       {"classes", message(e.classes)},
       {"words to train on", message(e.train_words)},
       {"longer texts cut after",
        message(training.tokenizer.max_words.value_or(0), " words (", e.words_cut, " words cut)")},
       {"vocabulary", message(e.vocabulary, " words")},
       {"model",
        message("HAN, word vectors of ", model.embedding, ", GRUs of 2 x ", model.word_hidden,
                " and 2 x ", model.sentence_hidden, " units, attention of ", model.word_attention,
                " and ", model.sentence_attention)},
       {"parameters", fixed(e.parameters, 0)},
       {"training",
        message(training.options.epochs, " epochs, AdamW at ", training.options.learning_rate,
                ", dropout ", model.dropout, ", label smoothing ", training.options.label_smoothing,
                ", the best epoch by the validation texts")},
       {"a batch in training", message(training.options.batch_documents,
                                       " texts in a new random order each epoch, not sorted by "
                                       "length")},
       {"a batch in the test", message(e.evaluation_batch, " texts in order of arrival, and 1")},
       {"pads in whole padded arrays",
        message(percent(e.training_padding, 0), " of the slots in training, ",
                percent(e.test_padding, 0), " in the test")}}};
}

}  // namespace

std::string main_finding(const Classification& experiment) {
  const double exact_labels = estimate(experiment.of(Setting::exact, changed)).mean;
  const double exact_scores = estimate(experiment.of(Setting::exact, changed_scores)).mean;
  return message("Asked about the same ", experiment.test_texts,
                 " texts one by one and in batches of ", experiment.evaluation_batch,
                 ", a HAN whose zero pads join the attention gives other scores "
                 "for ",
                 percent(estimate(experiment.of(Setting::no_mask, changed_scores)).mean, 1),
                 " of them and another label for ",
                 percent(estimate(experiment.of(Setting::no_mask, changed)).mean, 2),
                 exact_scores == 0 ? message("; without pads not one bit changes. ")
                                   : message("; without pads ", percent(exact_scores, 2), " and ",
                                             percent(exact_labels, 2), ". "),
                 gain_in_words(accuracy_gain(experiment)));
}

void describe_classification(const StudyResult& result, viz::Blocks& blocks) {
  const Classification& experiment = result.classification;
  blocks.paragraph(result.data.description);
  blocks.paragraph(
      "Two models are trained with the same first values, the same order of texts and the same "
      "settings. exact: padless, which has no pads. no_mask: every sentence is padded with zero "
      "rows to the longest of its batch, every document to the most sentences, and the zero rows "
      "join the softmax of the attention; the GRUs stop at the real length, as they do in "
      "packed sequences.");
  const double all_seeds = estimate(experiment.of(Setting::exact, accuracy)).mean;
  blocks.paragraph(message(
      gain_in_words(accuracy_gain(experiment)),
      " The interval is over seeds (first values, order, dropout) on one split of the texts. "
      "Another ",
      experiment.test_texts, " test texts would move an accuracy by about ±",
      fixed(100 * sampling_error(all_seeds, experiment.test_texts), 1), " points more."));
  blocks.table(results(experiment));
  blocks.paragraph(
      message("Labels and scores that change: between a text alone and the same text in "
              "a batch of ",
              experiment.evaluation_batch,
              "; a score counts if one of "
              "its bits differs."));
  const std::vector<viz::Figure> figures = {
      accuracy_picture(experiment),
      changed_labels_picture("changed", experiment.evaluation_batch,
                             by_setting(experiment, changed)),
      loss_picture(experiment)};
  blocks.figures(figures);
  viz::Blocks inner;
  inner.table(seed_table(experiment)).table(data_table(result));
  blocks.details("Every run, and how it was made", inner);
}

namespace {

// Words and sentences with what the pads take, as a word and a sentence of their own.
struct WithPads {
  std::vector<std::string> words;
  std::vector<float> word_weights, sentence_weights;
  std::vector<std::size_t> sentence_lengths;
};

WithPads with_pads(const AttendedExample& example) {
  WithPads out;
  std::size_t word = 0;
  for (std::size_t s = 0; s < example.sentence_lengths.size(); ++s) {
    const std::size_t end = word + example.sentence_lengths[s];
    std::size_t length = example.sentence_lengths[s];
    for (; word < end; ++word) {
      out.words.push_back(example.words[word]);
      out.word_weights.push_back(example.padded_words[word]);
    }
    if (example.word_pads[s] > 0) {
      out.words.push_back(message("[", example.word_pads[s], " PAD]"));
      out.word_weights.push_back(static_cast<float>(example.word_mass_lost[s]));
      ++length;
    }
    out.sentence_lengths.push_back(length);
    out.sentence_weights.push_back(example.padded_sentences[s]);
  }
  if (example.sentence_pads > 0) {
    out.words.push_back(message("[", example.sentence_pads, " PAD sentences]"));
    out.word_weights.push_back(1);
    out.sentence_lengths.push_back(1);
    out.sentence_weights.push_back(static_cast<float>(example.sentence_mass_lost));
  }
  return out;
}

}  // namespace

void describe_example(const AttendedExample& example, viz::Blocks& blocks) {
  const double lost =
      std::accumulate(example.word_mass_lost.begin(), example.word_mass_lost.end(), 0.0);
  blocks.paragraph(message(
      "The first test text of 20 to 70 words that no_mask labels otherwise alone than in its batch "
      "(without one, the first of that length). It is of the section '",
      example.label, "'. exact says '", example.exact_prediction, "'; no_mask says '",
      example.padded_prediction, "' in its batch and '", example.padded_prediction_alone,
      "' alone. In the batch, pads take ",
      percent(example.sentence_lengths.empty()
                  ? 0
                  : lost / static_cast<double>(example.sentence_lengths.size()),
              0),
      " of its sentences' attention on average and ", percent(example.sentence_mass_lost, 1),
      " of the document's. A stronger colour is more attention, within each sentence; before each "
      "sentence stands its share of the document."));
  blocks.subheading("exact");
  blocks.markup(viz::heatmap_html(
      {example.words, example.exact_words, example.sentence_lengths, example.exact_sentences}));
  blocks.subheading("no_mask, in its batch");
  const WithPads padded = with_pads(example);
  blocks.markup(viz::heatmap_html(
      {padded.words, padded.word_weights, padded.sentence_lengths, padded.sentence_weights}));
}

}  // namespace padless::study
