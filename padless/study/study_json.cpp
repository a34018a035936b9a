#include "padless/study/study_json.h"

#include <functional>

#include "padless/study/encoder_report.h"
#include "padless/study/five_words_report.h"
#include "padless/study/statistics.h"
#include "padless/study/weights.h"

namespace padless::study {
namespace {

Json claims(const StudyResult& result) {
  Json out = Json::object();
  for (const Finding& finding : result.findings) {
    out.set(finding.id, Json::object()
                            .set("verdict", viz::verdict_name(finding.verdict))
                            .set("claim", finding.claim)
                            .set("because", finding.because)
                            .set("numbers", finding.numbers));
  }
  return out;
}

Json losses(const std::vector<LossByPads>& bins) {
  Json out = Json::array();
  for (const LossByPads& bin : bins) {
    out.push(Json::object()
                 .set("pads", Json::array().push(bin.low).push(bin.high))
                 .set("sequences", bin.sequences)
                 .set("mean_mass_lost", bin.mean_mass_lost));
  }
  return out;
}

Json classification(const Classification& experiment) {
  using Run = ClassificationRun;
  Json out = Json::object();
  for (const Setting setting : kSettings) {
    const auto each = [&](const std::function<double(const Run&)>& number) {
      return Json::array_of(experiment.of(setting, number));
    };
    Json word_losses = Json::array(), sentence_losses = Json::array();
    for (const Run& run : experiment.runs) {
      if (run.setting != setting) continue;
      word_losses.push(losses(run.word_loss));
      sentence_losses.push(losses(run.sentence_loss));
    }
    Json one = Json::object();
    one.set("accuracy", each([](const Run& run) { return run.test.accuracy; }))
        .set("macro_f1", each([](const Run& run) { return run.test.macro_f1; }))
        .set("changed_predictions", each([](const Run& run) { return run.company.predictions; }))
        .set("changed_scores", each([](const Run& run) { return run.company.scores; }))
        .set("largest_score_change",
             each([](const Run& run) { return run.company.largest_change; }))
        .set("accuracy_one_by_one", each([](const Run& run) { return run.test_alone.accuracy; }))
        .set("validation_accuracy", each([](const Run& run) { return run.validation_accuracy; }))
        .set("training_words_per_second",
             each([](const Run& run) { return run.training_words_per_second; }))
        .set("word_pad_share", each([](const Run& run) { return run.word_pad_share; }))
        .set("sentence_pad_share", each([](const Run& run) { return run.sentence_pad_share; }))
        .set("word_mass_lost_by_pads", std::move(word_losses))
        .set("sentence_mass_lost_by_pads", std::move(sentence_losses));
    out.set(setting_name(setting), std::move(one));
  }
  return out;
}

Json regression(const Regression& experiment) {
  using Run = RegressionRun;
  Json out = Json::object();
  for (const Setting setting : kSettings) {
    const auto each = [&](const std::function<double(const Run&)>& value) {
      Json array = Json::array();
      for (const double x : experiment.of(setting, value)) array.push(number(x));
      return array;
    };
    out.set(setting_name(setting),
            Json::object()
                .set("mae", each([](const Run& run) { return run.test.mae; }))
                .set("r2", each([](const Run& run) { return run.test.r2; }))
                .set("spearman", each([](const Run& run) { return run.test.spearman; }))
                .set("changed_predictions", each([](const Run& run) { return run.changed; }))
                .set("largest_change", each([](const Run& run) { return run.largest_change; }))
                .set("mean_change", each([](const Run& run) { return run.mean_change; }))
                .set("mae_one_by_one", each([](const Run& run) { return run.test_alone.mae; })));
  }
  return out;
}

Json interval(const Estimate& estimate) {
  return Json::object()
      .set("mean", estimate.mean)
      .set("low", estimate.half ? Json(estimate.mean - *estimate.half) : Json())
      .set("high", estimate.half ? Json(estimate.mean + *estimate.half) : Json())
      .set("seeds", estimate.count);
}

Json experiment(const StudyResult& result) {
  const Classification& experiment = result.classification;
  const TextTraining& training = result.settings.training;
  const auto accuracy = [](const ClassificationRun& run) { return run.test.accuracy; };
  Json out = Json::object();
  out.set("effort", effort_name(result.options.effort))
      .set("data", result.data.kind)
      .set("data_description", result.data.description)
      .set("seeds", Json::array_of(result.settings.seeds))
      .set("train_texts", experiment.train_texts)
      .set("validation_texts", experiment.validation_texts)
      .set("test_texts", experiment.test_texts)
      .set("classes", experiment.classes)
      .set("train_words", experiment.train_words)
      .set("words_cut", experiment.words_cut)
      .set("vocabulary", experiment.vocabulary)
      .set("parameters", experiment.parameters)
      .set("epochs", training.options.epochs)
      .set("learning_rate", training.options.learning_rate)
      .set("batch_documents", training.options.batch_documents)
      .set("batch_tokens", training.options.batch_tokens)
      .set("evaluation_batch", experiment.evaluation_batch)
      .set("training_padding", experiment.training_padding)
      .set("test_padding", experiment.test_padding)
      .set("accuracy_exact_minus_no_mask",
           interval(paired_difference(experiment.of(Setting::exact, accuracy),
                                      experiment.of(Setting::no_mask, accuracy))));
  return out;
}

Json machine(const Machine& machine) {
  return Json::object()
      .set("padless", machine.version)
      .set("date", machine.date)
      .set("cpu", machine.cpu)
      .set("cores", machine.cores)
      .set("threads", machine.threads)
      .set("isa", machine.isa)
      .set("system", machine.system)
      .set("compiler", machine.compiler);
}

}  // namespace

Json study_json(const StudyResult& result) {
  return Json::object()
      .set("claims", claims(result))
      .set("classification", classification(result.classification))
      .set("classification_encoder", encoder_json(result.encoder))
      .set("regression", result.regression ? regression(*result.regression) : Json())
      .set("five_words", five_words_json(result.five_words))
      .set("experiment", experiment(result))
      .set("texts", Json::object().set("count", result.data.texts).set("hash", result.data.hash))
      .set("machine", machine(result.machine))
      .set("seconds", result.seconds);
}

}  // namespace padless::study
