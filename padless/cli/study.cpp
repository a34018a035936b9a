#include <algorithm>
#include <filesystem>
#include <memory>
#include <ostream>
#include <string>

#include "padless/cli/commands.h"
#include "padless/cli/options.h"
#include "padless/cli/output.h"
#include "padless/io/atomic_file.h"
#include "padless/study/study.h"
#include "padless/viz/escape.h"
#include "padless/viz/number.h"

namespace padless::cli {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  padless study                    all texts, three seeds: some minutes\n"
    "  padless study --quick            fewer texts and seeds: about a minute\n"
    "  padless study --data mine.tsv --text review --label stars";

struct StudyCommand {
  bool quick = false, full = false;
  std::size_t threads = 0;
  std::string out = "build/study";
  std::string data;
  study::StudyOptions options;
  std::string label = options.columns.label.value_or("");
  std::string target;
};

// One line that is written over on a terminal; elsewhere a line for each new thing that is done.
class StudyDisplay {
 public:
  explicit StudyDisplay(const Console& console) : console_(console) {}

  void show(std::string_view doing, double done, double seconds) {
    if (done == 0) began_ = seconds;
    if (!console_.err_is_terminal) {
      if (doing == last_) return;
      last_ = doing;
      console_.err << line(doing, done, seconds) << std::endl;
      return;
    }
    const bool is_new = doing != last_;
    if (!is_new && seconds - shown_ < kBetweenLines) return;
    last_ = doing;
    shown_ = seconds;
    console_.err << "\r\x1b[K" << line(doing, done, seconds) << std::flush;
  }
  void end() {
    if (console_.err_is_terminal) console_.err << "\r\x1b[K" << std::flush;
  }

 private:
  static constexpr double kBetweenLines = 0.2;   // seconds
  static constexpr double kEnoughToTell = 0.02;  // of the work, before a guess at the rest

  std::string line(std::string_view doing, double done, double seconds) const {
    std::string text = viz::fixed(100 * done, 0) + " %  " + viz::fixed(seconds, 0) + " s";
    if (done > kEnoughToTell && done < 1) {
      text += ", " + viz::fixed((seconds - began_) * (1 - done) / done, 0) + " s left";
    }
    text += "  " + viz::escape_terminal(doing);
    return text.substr(0, std::max<std::size_t>(console_.columns, 2) - 1);
  }

  const Console& console_;
  std::string last_;
  double began_ = 0;  // when the texts were there and the training began
  double shown_ = 0;
};

void print_results(const study::StudyResult& result, std::ostream& out) {
  for (const std::string& note : result.data.notes) {
    out << viz::escape_terminal(note) << "\n\n";
  }
  for (const study::Finding& finding : result.findings) {
    out << finding.id << " " << viz::verdict_name(finding.verdict) << ": " << finding.title
        << "\n    " << viz::escape_terminal(finding.because) << "\n";
  }
  for (const std::string& finding : study::headlines(result)) out << "\n" << finding << "\n";
}

void run_command(StudyCommand& command, const Console& console) {
  study::StudyOptions& options = command.options;
  if (command.quick) options.effort = study::Effort::quick;
  if (command.full) options.effort = study::Effort::full;
  if (!command.data.empty()) options.file = command.data;
  options.columns.label = command.label;
  if (!command.target.empty()) options.columns.target = command.target;

  // First of all, since it is minutes until something is written there.
  const std::filesystem::path folder = command.out;
  make_folder(folder);
  const std::filesystem::path report = folder / study::kReportFile;
  const std::filesystem::path numbers = folder / study::kNumbersFile;
  for (const std::filesystem::path& file : {report, numbers}) {
    remove_abandoned(file);
    require_writable(file);
  }
  const std::unique_ptr<Runtime> runtime = make_runtime(command.threads);
  StudyDisplay display(console);
  const study::StudyResult result = study::run_study(
      *runtime, options, [&display](std::string_view doing, double done, double seconds) {
        display.show(doing, done, seconds);
      });
  display.end();
  print_results(result, console.out);  // before a disk that is full by now makes the rest fail
  require_written(console.out);
  study::write_study(folder, result);
  console.out << "\n" << report.string() << "\n" << numbers.string() << "\n";
}

}  // namespace

void add_study(CLI::App& app, const Console& console) {
  const auto options = std::make_shared<StudyCommand>();
  CLI::App* command = app.add_subcommand(
      "study", "What padding does to attention: experiments, a report with pictures, numbers");
  CLI::Option* quick = command->add_flag("--quick", options->quick, "about a minute");
  command->add_flag("--full", options->full, "more seeds and epochs")->excludes(quick);
  add_whole(*command, "--seed", options->options.seed, "the first seed; the others follow it");
  add_path(*command, "--out", options->out, "folder for report.html and study.json")
      ->type_name("DIR")
      ->default_str(options->out);
  CLI::Option* data =
      add_path(*command, "--data", options->data,
               "labelled texts of your own, instead of the machine's package descriptions")
          ->type_name("FILE");
  command->add_option("--text", options->options.columns.text, "column of the texts")
      ->type_name("COL")
      ->capture_default_str()
      ->needs(data);
  command->add_option("--label", options->label, "column of the classes")
      ->type_name("COL")
      ->capture_default_str()
      ->needs(data);
  command
      ->add_option("--target", options->target,
                   "column of the numbers; log_size if there is one and this is not given")
      ->type_name("COL")
      ->needs(data);
  add_threads(*command, options->threads);
  command->callback([options, &console] { run_command(*options, console); });
  command->footer(kExamples);
}

}  // namespace padless::cli
