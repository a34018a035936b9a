#include "padless/cli/options.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>

#include "padless/core/error.h"
#include "padless/core/quote.h"
#include "padless/data/labelled_set.h"
#include "padless/io/json.h"
#include "padless/ops/dropout.h"

namespace padless::cli {
namespace {

constexpr std::size_t kMostThreads = 1024;

template <class Number>
std::optional<Number> read(const std::string& text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string words_for(WholeRange range) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  std::string words = "a whole number";
  if (range.low > 0 || range.high < kMost) words += message(" from ", range.low);
  if (range.high < kMost) words += message(" to ", range.high);
  return words;
}

bool fits(NumberKind kind, double value) {
  if (!std::isfinite(value)) return false;
  if (kind == NumberKind::positive) return value > 0;
  return value >= 0 && (kind == NumberKind::share ? value < 1 : value <= double{kMostDropout});
}

std::string words_for(NumberKind kind) {
  if (kind == NumberKind::positive) return "a number above 0";
  return kind == NumberKind::share ? "a number from 0 to below 1"
                                   : "a number from 0 to 0.99998 (65535/65536)";
}

// Of a number that would do, were it not beyond what the option's type can hold: a float is 0 below
// 1e-45, 1 above 0.99999997, and none above 3.4e38.
template <class Number>
std::string range_words(const std::string& text, NumberKind kind) {
  using Limits = std::numeric_limits<Number>;
  Number ignored{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), ignored);
  const bool beyond =
      error == std::errc::result_out_of_range && end == text.data() + text.size() && text[0] != '-';
  const std::optional<double> exact = read<double>(text);
  if (!beyond && !(exact && fits(kind, *exact))) return "";
  return message(" as ", 8 * sizeof(Number),
                 " bits hold it: ", kind == NumberKind::positive ? "" : "0, or ", "from ",
                 Limits::denorm_min(), " to ",
                 kind == NumberKind::positive ? Limits::max() : 1 - Limits::epsilon() / 2);
}

// The option's first name, as messages call it.
std::string first_of(const std::string& names) { return names.substr(0, names.find(',')); }

template <class Number, class Target>
CLI::Option* add_real(CLI::App& command, const std::string& name, Target& target,
                      const std::string& help, NumberKind kind) {
  const auto set = [&target, name, kind](const std::string& text) {
    const std::optional<Number> value = read<Number>(text);
    if (!value || !fits(kind, *value)) {
      refuse(name, text, words_for(kind) + range_words<Number>(text, kind));
    }
    const Number number = *value;
    target = number;
  };
  return command.add_option_function<std::string>(name, set, help)->type_name("X");
}

}  // namespace

void refuse(const std::string& option, const std::string& value, const std::string& expected) {
  throw UsageError(message(option, " is ", quote(value), ", expected ", expected));
}

CLI::Option* add_whole_option(CLI::App& command, const std::string& name, const std::string& help,
                              WholeRange range, const std::function<void(std::uint64_t)>& set) {
  const auto check_and_set = [name, range, set](const std::string& text) {
    const std::optional<std::uint64_t> value = read<std::uint64_t>(text);
    if (!value || *value < range.low || *value > range.high) {
      refuse(first_of(name), text, words_for(range));
    }
    set(*value);
  };
  return command.add_option_function<std::string>(name, check_and_set, help)->type_name("N");
}

CLI::Option* add_whole(CLI::App& command, const std::string& name,
                       std::optional<std::size_t>& target, const std::string& help,
                       WholeRange range) {
  return add_whole_option(command, name, help, range,
                          [&target](std::uint64_t value) { target = value; });
}

CLI::Option* add_number(CLI::App& command, const std::string& name, double& target,
                        const std::string& help, NumberKind kind) {
  return add_real<double>(command, name, target, help, kind)->default_str(Json(target).compact());
}

CLI::Option* add_number(CLI::App& command, const std::string& name, float& target,
                        const std::string& help, NumberKind kind) {
  return add_real<float>(command, name, target, help, kind)->default_str(Json(target).compact());
}

CLI::Option* add_number(CLI::App& command, const std::string& name, std::optional<float>& target,
                        const std::string& help, NumberKind kind) {
  return add_real<float>(command, name, target, help, kind);
}

CLI::Option* add_choice_option(CLI::App& command, const std::string& name, const std::string& help,
                               const std::vector<std::string>& choices,
                               const std::function<void(std::size_t)>& set) {
  std::string list;
  for (const std::string& choice : choices) list += (list.empty() ? "" : "|") + choice;
  const auto check_and_set = [name, choices, list, set](const std::string& text) {
    const auto found = std::ranges::find(choices, text);
    if (found == choices.end()) refuse(name, text, list);
    set(static_cast<std::size_t>(found - choices.begin()));
  };
  return command.add_option_function<std::string>(name, check_and_set, help)->type_name(list);
}

CLI::Option* add_choice(CLI::App& command, const std::string& name, std::size_t& target,
                        const std::string& help, const std::vector<std::string>& choices) {
  return add_choice_option(command, name, help, choices,
                           [&target](std::size_t choice) { target = choice; });
}

CLI::Option* add_path_option(CLI::App& command, const std::string& name, const std::string& help,
                             const std::function<void(const std::string&)>& set) {
  const auto check_and_set = [name, set](const std::string& text) {
    if (text.empty()) refuse(name, text, "the name of a file or folder");
    set(text);
  };
  return command.add_option_function<std::string>(name, check_and_set, help);
}

void add_threads(CLI::App& command, std::size_t& threads) {
  threads = 0;
  add_whole(command, "--threads", threads, "threads; 0: one a core. No result depends on them",
            {.high = kMostThreads});
}

std::unique_ptr<Runtime> make_runtime(std::size_t threads) {
  try {
    return std::make_unique<Runtime>(Runtime::Options{.threads = threads, .isa = {}});
  } catch (const ValueError& error) {
    throw UsageError(message("PADLESS_ISA: ", error.what()));
  } catch (const std::system_error& error) {
    throw Error(message("--threads is ", threads,
                        ", expected no more than the system gives: ", error.what()));
  }
}

void add_model_folder(CLI::App& command, std::string& folder) {
  add_path(command, "--model", folder, "folder that padless train has written")
      ->type_name("DIR")
      ->required();
}

void add_data_options(CLI::App& command, DataOptions& options) {
  add_path(command, "--data", options.file,
           "table of texts: CSV or TSV with a header line, or JSONL; each may be gzip; "
           "- is standard input")
      ->type_name("FILE")
      ->required();
  command.add_option("--text", options.text, "column with the texts")->type_name("COL")->required();
  const auto set_format = [&options](const std::string& text) {
    options.format = text == "csv"     ? std::optional(TableFormat::csv)
                     : text == "tsv"   ? std::optional(TableFormat::tsv)
                     : text == "jsonl" ? std::optional(TableFormat::jsonl)
                                       : std::nullopt;
    if (!options.format) refuse("--format", text, "csv, tsv or jsonl");
  };
  command
      .add_option_function<std::string>(
          "--format", set_format,
          "of the table; otherwise the name says, or the look of the first line")
      ->type_name("csv|tsv|jsonl");
}

void add_learnt_options(CLI::App& command, LearntOptions& options, const std::string& split_help) {
  command.add_option("--label", options.label, "column with the texts' classes")->type_name("COL");
  command
      .add_option("--labels", options.labels,
                  "column with any number of labels a text, none included; in JSONL an array too")
      ->type_name("COL");
  command
      .add_option("--label-separator", options.label_separator,
                  "what stands between two of the labels in a field")
      ->type_name("TEXT")
      ->default_str(LabelledColumns().label_separator);
  command.add_option("--target", options.target, "column with the texts' numbers")
      ->type_name("COL");
  command.add_option("--split", options.split, split_help)->type_name("COL");
}

void require_one(const LearntOptions& options) {
  std::string given;
  std::size_t count = 0;
  const auto look_at = [&](const std::optional<std::string>& column, const char* option) {
    if (!column) return;
    given += message(count++ == 0 ? "" : " and ", option);
  };
  look_at(options.label, "--label");
  look_at(options.labels, "--labels");
  look_at(options.target, "--target");
  if (count == 0) {
    throw UsageError("none of --label, --labels and --target is given, expected one of them");
  }
  if (count > 1) throw UsageError(given + " are given, expected one of them");
  if (!options.label_separator) return;
  if (!options.labels) {
    throw UsageError("--label-separator is given with " + given + ", expected it with --labels");
  }
  if (options.label_separator->empty()) refuse("--label-separator", "", "some character");
}

}  // namespace padless::cli
