#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "padless/cli/commands.h"
#include "padless/cli/options.h"
#include "padless/cli/output.h"
#include "padless/cli/stop.h"
#include "padless/core/error.h"
#include "padless/data/debian.h"
#include "padless/data/synthetic.h"
#include "padless/data/table.h"
#include "padless/data/tsv.h"
#include "padless/io/json.h"

namespace padless::cli {
namespace {

const std::string kDebianExamples = "  padless data debian --out packages.tsv\n";
const std::string kSyntheticExamples =
    "  padless data synthetic --out made_up.tsv --texts 5000 --seed 1\n"
    "  padless data synthetic --out tagged.tsv --labels\n";

std::string footer(const std::string& examples) { return "Examples:\n" + examples; }

struct DebianCommand {
  std::string out, cache;
};

struct SyntheticCommand {
  std::string out;
  SyntheticOptions options;
};

// A table under way: into a file, which appears whole or not at all, or to standard output.
class TableOutput {
 public:
  TableOutput(const Console& console, const std::string& name)
      : console_(console), name_(name), output_(console, name) {}

  std::ostream& stream() { return output_.stream(); }

  // Behind each row.
  void count(Split split) {
    ++counts_[split];
    if (++rows_ % kRowsAtATime != 0) return;
    output_.require_written();
    require_none_asked();
  }

  // Says "made_up.tsv: 12 texts: 9 train, 1 dev, 2 test", beside the table itself.
  void finish() {
    require_none_asked();
    output_.finish();
    const bool is_standard_output = name_ == kStandardOutputName;
    (is_standard_output ? console_.err : console_.out)
        << (is_standard_output ? "standard output" : name_) << ": " << rows_
        << " texts: " << counts_[Split::train] << " train, " << counts_[Split::dev] << " dev, "
        << counts_[Split::test] << " test" << std::endl;
  }

 private:
  static constexpr std::size_t kRowsAtATime = 256;

  void require_none_asked() const {
    if (stop_.asked()) throw Interrupted(message("interrupted after ", rows_, " texts"));
  }

  const Console& console_;
  const std::string& name_;
  Output output_;
  StopRequest stop_;
  std::map<Split, std::size_t> counts_;
  std::size_t rows_ = 0;
};

std::string joined(const std::vector<std::string>& labels) {
  std::string list;
  for (const std::string& label : labels) {
    list += (list.empty() ? "" : LabelledColumns().label_separator) + label;
  }
  return list;
}

// Every command finds a table's format by its name; "-" is none.
void require_name_of_tsv(const std::string& out) {
  const std::optional<TableFormat> format = format_of_name(out);
  if (format.value_or(TableFormat::tsv) != TableFormat::tsv || out.ends_with(".gz")) {
    refuse("--out", out,
           "a name that ends in .tsv: the table has tabs between columns and is not compressed");
  }
}

void make_debian(const DebianCommand& options, const Console& console) {
  require_name_of_tsv(options.out);
  // Before minutes of fetching, in which a signal may end the program: nothing is under way.
  if (options.out != kStandardOutputName) {
    remove_abandoned(options.out);
    require_writable(options.out);
  }
  const auto tell = [&console](std::string_view line) { console.err << line << std::endl; };
  const std::vector<DebianRow> rows = build_debian_set({.folder = options.cache, .progress = tell});
  TableOutput table(console, options.out);
  write_debian_set(table.stream(), rows);
  for (const DebianRow& row : rows) table.count(row.split);
  table.finish();
}

void make_synthetic(const SyntheticCommand& options, const Console& console) {
  require_name_of_tsv(options.out);
  const SyntheticTexts texts(options.options);
  TableOutput table(console, options.out);
  const bool several = options.options.several_labels;
  using Row = std::vector<std::string>;
  write_tsv(table.stream(),
            several ? Row{"labels", "split", "text"} : Row{"label", "target", "split", "text"});
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const SyntheticText made = texts[i];
    Row row = several ? Row{joined(made.labels)} : Row{made.label, Json(made.target).compact()};
    row.insert(row.end(), {std::string(split_name(made.split)), made.text});
    write_tsv(table.stream(), row);
    table.count(made.split);
  }
  table.finish();
}

CLI::Option* add_out(CLI::App& command, std::string& out, const char* help) {
  return add_path(command, "--out", out, help)->type_name("FILE.tsv")->required();
}

void add_debian(CLI::App& data, const Console& console) {
  const auto options = std::make_shared<DebianCommand>();
  CLI::App* command = data.add_subcommand(
      "debian", "Descriptions of Debian's or Ubuntu's packages, from the machine's own archives");
  add_out(*command, options->out,
          "a table with the columns section, split, source, log_size, text; - is standard output");
  add_path(*command, "--cache", options->cache,
           "folder that keeps the package lists for later runs")
      ->type_name("DIR")
      ->default_str(debian_cache_folder().string());
  command->footer(footer(kDebianExamples));
  command->callback([options, &console] { make_debian(*options, console); });
}

void add_synthetic(CLI::App& data, const Console& console) {
  const auto options = std::make_shared<SyntheticCommand>();
  CLI::App* command =
      data.add_subcommand("synthetic", "Made-up texts: key words among noise, uneven lengths");
  add_out(*command, options->out,
          "a table with the columns label, target, split, text; - is standard output");
  command->add_flag("--labels", options->options.several_labels,
                    "texts with none to three labels: a column labels, with | between two of them, "
                    "in place of label and target");
  add_whole(*command, "--texts", options->options.texts, "texts to make",
            {.low = 1, .high = 100'000'000});
  add_whole(*command, "--classes", options->options.classes, "classes among them",
            {.low = 2, .high = 1000});
  add_whole(*command, "--seed", options->options.seed, "of everything drawn");
  command->footer(footer(kSyntheticExamples));
  command->callback([options, &console] { make_synthetic(*options, console); });
}

}  // namespace

void add_data(CLI::App& app, const Console& console) {
  CLI::App* command = app.add_subcommand("data", "Makes labelled sets of texts");
  command->require_subcommand(1);
  add_debian(*command, console);
  add_synthetic(*command, console);
  command->footer(footer(kDebianExamples + kSyntheticExamples));
}

}  // namespace padless::cli
