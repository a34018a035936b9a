#include "padless/study/report.h"

#include <string>
#include <vector>

#include "padless/core/error.h"
#include "padless/study/classification_report.h"
#include "padless/study/encoder_report.h"
#include "padless/study/five_words_report.h"
#include "padless/study/regression_report.h"
#include "padless/viz/number.h"
#include "padless/viz/page.h"

namespace padless::study {
namespace {

std::string command(const StudyOptions& options) {
  std::string text = "padless study";
  if (options.effort != Effort::normal) text += message(" --", effort_name(options.effort));
  text += message(" --seed ", options.seed);
  if (options.file) {
    text += message(" --data ", options.file->string(), " --text ", options.columns.text,
                    " --label ", options.columns.label.value_or(""));
    if (options.columns.target) text += message(" --target ", *options.columns.target);
  }
  return text;
}

viz::Table machine_table(const StudyResult& result) {
  const Machine& machine = result.machine;
  return {"Where these numbers come from",
          {"what", "value"},
          {{"padless", machine.version},
           {"date", machine.date},
           {"texts", message(result.data.texts, ", their hash ", result.data.hash)},
           {"processor", machine.cpu},
           {"cores, threads used", message(machine.cores, ", ", machine.threads)},
           {"instruction set", machine.isa},
           {"system", machine.system},
           {"compiler", machine.compiler},
           {"time", message(viz::fixed(result.seconds, 0), " s")}}};
}

}  // namespace

std::string report_html(const StudyResult& result) {
  viz::ReportPage page("What padding does to attention");
  for (const std::string& finding : headlines(result)) page.lead().paragraph(finding);
  page.lead().paragraph(
      "Each claim that people make is an experiment below, run for this report. A verdict is about "
      "the claim as it is made: it holds where nothing contradicts it, fails where ordinary inputs "
      "do already, and is mixed where only unusual inputs do, or where it is right in kind and "
      "wrong in number.");
  if (result.data.is_made_up()) page.lead().paragraph(result.data.description);

  describe_classification(result, page.section("experiment",
                                               "A HAN on labelled texts, with pads and "
                                               "without"));
  describe_example(result.classification.example,
                   page.section("example", "One text, seen both ways"));
  describe_encoder(result.encoder,
                   page.section("encoder", "A Transformer encoder on the same texts"));
  describe_regression(
      result, page.section("regression", "A HAN that tells a number, with pads and without"));
  describe_five_words(
      result.five_words,
      page.section("five-words", "Five words: the experiment everybody tries first"));
  for (const Finding& finding : result.findings) {
    viz::Blocks& section =
        page.section(finding.id, finding.id + ": " + finding.title, finding.verdict);
    section.paragraph("The claim: " + finding.claim + ".");
    section.verdict(finding.verdict, finding.because);
    section.markup({finding.blocks.html()});
  }
  page.section("made", "How to make this report again")
      .code(command(result.options))
      .table(machine_table(result))
      .paragraph(
          "On the same texts, everything but the speeds comes out the same, whatever the "
          "number of threads and the instruction set.");
  page.footer(message("padless ", result.machine.version, ", study, ",
                      effort_name(result.options.effort), ", ", result.machine.date, ", ",
                      viz::fixed(result.seconds, 0), " s on ", result.machine.cpu, "."));
  return page.html();
}

}  // namespace padless::study
