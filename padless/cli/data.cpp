#include <map>
#include <ostream>

#include "padless/cli/commands.h"
#include "padless/cli/options.h"
#include "padless/cli/output.h"
#include "padless/data/debian.h"
#include "padless/data/synthetic.h"
#include "padless/data/tsv.h"
#include "padless/io/json.h"

namespace padless::cli {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  padless data debian --out packages.tsv\n"
    "  padless data synthetic --out made_up.tsv --texts 5000 --seed 1\n"
    "  padless data synthetic --out tagged.tsv --labels";

struct DebianCommand {
  std::string out, cache;
};

struct SyntheticCommand {
  std::string out;
  SyntheticOptions options;
};

// "12 texts: 9 train, 1 dev, 2 test".
template <class Row>
std::string count_words(const std::vector<Row>& rows, Split (*split_of)(const Row&)) {
  std::map<Split, std::size_t> counts;
  for (const Row& row : rows) ++counts[split_of(row)];
  return message(rows.size(), " texts: ", counts[Split::train], " train, ", counts[Split::dev],
                 " dev, ", counts[Split::test], " test");
}

std::string joined(const std::vector<std::string>& labels) {
  std::string list;
  for (const std::string& label : labels) {
    list += (list.empty() ? "" : LabelledColumns().label_separator) + label;
  }
  return list;
}

void make_debian(const DebianCommand& options, const Console& console) {
  require_writable(options.out);  // before minutes of fetching
  const auto tell = [&console](std::string_view line) { console.err << line << std::endl; };
  const std::vector<DebianRow> rows = build_debian_set({.folder = options.cache, .progress = tell});
  write_debian_set(options.out, rows);
  console.out << options.out << ": "
              << count_words<DebianRow>(rows, [](const DebianRow& row) { return row.split; })
              << "\n";
}

void make_synthetic(const SyntheticCommand& options, const Console& console) {
  const LabelledSet set = make_synthetic_set(options.options);
  AtomicFile file(options.out);
  const bool several = options.options.several_labels;
  using Row = std::vector<std::string>;
  write_tsv(file.stream(),
            several ? Row{"labels", "split", "text"} : Row{"label", "target", "split", "text"});
  for (std::size_t i = 0; i < set.texts.size(); ++i) {
    Row row = several ? Row{joined(set.label_sets[i])}
                      : Row{set.labels[i], Json(set.targets[i]).compact()};
    row.insert(row.end(), {std::string(split_name(set.splits[i])), set.texts[i]});
    write_tsv(file.stream(), row);
  }
  file.commit();
  console.out << options.out << ": "
              << count_words<Split>(set.splits, [](const Split& split) { return split; }) << "\n";
}

CLI::Option* add_out(CLI::App& command, std::string& out, const char* help) {
  return command.add_option("--out", out, help)->type_name("FILE.tsv")->required();
}

void add_debian(CLI::App& data, const Console& console) {
  const auto options = std::make_shared<DebianCommand>();
  CLI::App* command = data.add_subcommand(
      "debian", "Descriptions of Debian's or Ubuntu's packages, from the machine's own archives");
  add_out(*command, options->out,
          "a table with the columns section, split, source, log_size, text");
  command
      ->add_option("--cache", options->cache, "folder that keeps the package lists for later runs")
      ->type_name("DIR")
      ->default_str(debian_cache_folder().string());
  command->callback([options, &console] { make_debian(*options, console); });
}

void add_synthetic(CLI::App& data, const Console& console) {
  const auto options = std::make_shared<SyntheticCommand>();
  CLI::App* command =
      data.add_subcommand("synthetic", "Made-up texts: key words among noise, uneven lengths");
  add_out(*command, options->out, "a table with the columns label, target, split, text");
  command->add_flag("--labels", options->options.several_labels,
                    "texts with none to three labels: a column labels, with | between two of them, "
                    "in place of label and target");
  add_whole(*command, "--texts", options->options.texts, "texts to make",
            {.low = 1, .high = 100'000'000});
  add_whole(*command, "--classes", options->options.classes, "classes among them",
            {.low = 2, .high = 1000});
  add_whole(*command, "--seed", options->options.seed, "of everything drawn");
  command->callback([options, &console] { make_synthetic(*options, console); });
}

}  // namespace

void add_data(CLI::App& app, const Console& console) {
  CLI::App* command = app.add_subcommand("data", "Makes labelled sets of texts");
  command->require_subcommand(1);
  add_debian(*command, console);
  add_synthetic(*command, console);
  command->footer(kExamples);
}

}  // namespace padless::cli
