// What commands share in asking for options. A value that cannot be read is refused as
//   padless train: --epochs is "4k", expected a whole number from 1
#pragma once

#include <CLI/CLI.hpp>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "padless/core/runtime.h"
#include "padless/data/table.h"
#include "padless/train/names.h"

namespace padless::cli {

/// A command was asked for in a way that it does not know: exit code 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws UsageError: the option has that value and should have what is expected.
[[noreturn]] void refuse(const std::string& option, const std::string& value,
                         const std::string& expected);

/// The whole numbers that an option takes, both ends among them.
struct WholeRange {
  std::uint64_t low = 0;
  std::uint64_t high = std::numeric_limits<std::uint64_t>::max();
};

/// `set` is given the number that stands for the option `name`.
CLI::Option* add_whole_option(CLI::App& command, const std::string& name, const std::string& help,
                              WholeRange range, const std::function<void(std::uint64_t)>& set);

/// A whole number, put where `target` is; the number there before is the default. Of the optional
/// one there is none.
template <std::unsigned_integral Whole>
CLI::Option* add_whole(CLI::App& command, const std::string& name, Whole& target,
                       const std::string& help, WholeRange range = {}) {
  const auto set = [&target](std::uint64_t value) { target = static_cast<Whole>(value); };
  return add_whole_option(command, name, help, range, set)->default_str(std::to_string(target));
}
CLI::Option* add_whole(CLI::App& command, const std::string& name,
                       std::optional<std::size_t>& target, const std::string& help,
                       WholeRange range = {});

/// The numbers that an option takes.
enum class NumberKind {
  positive,  ///< finite, above 0
  share,     ///< at least 0 and less than 1
  dropout,   ///< at least 0 and at most kMostDropout
};
/// A number, put where `target` is, as add_whole does.
CLI::Option* add_number(CLI::App& command, const std::string& name, double& target,
                        const std::string& help, NumberKind kind);
CLI::Option* add_number(CLI::App& command, const std::string& name, float& target,
                        const std::string& help, NumberKind kind);
CLI::Option* add_number(CLI::App& command, const std::string& name, std::optional<float>& target,
                        const std::string& help, NumberKind kind);

/// A word out of a few; `set` is given its index.
CLI::Option* add_choice_option(CLI::App& command, const std::string& name, const std::string& help,
                               const std::vector<std::string>& choices,
                               const std::function<void(std::size_t)>& set);

/// A word out of a few; `target` becomes its index.
CLI::Option* add_choice(CLI::App& command, const std::string& name, std::size_t& target,
                        const std::string& help, const std::vector<std::string>& choices);

/// A choice by the names that files have for it; what `target` is before is the default. `names`
/// has to outlive the parsing.
template <class Value>
CLI::Option* add_named(CLI::App& command, const std::string& name, Value& target,
                       const std::string& help, const Names<Value>& names) {
  std::vector<std::string> choices;
  for (const auto& [value, word] : names) choices.emplace_back(word);
  const auto set = [&target, &names](std::size_t choice) { target = names[choice].first; };
  return add_choice_option(command, name, help, choices, set)
      ->default_str(std::string(name_of(names, target)));
}

/// `set` is given the name of a file or folder, which is not empty.
CLI::Option* add_path_option(CLI::App& command, const std::string& name, const std::string& help,
                             const std::function<void(const std::string&)>& set);

template <class Path>
CLI::Option* add_path(CLI::App& command, const std::string& name, Path& target,
                      const std::string& help) {
  return add_path_option(command, name, help,
                         [&target](const std::string& path) { target = path; });
}

/// --threads.
void add_threads(CLI::App& command, std::size_t& threads);
/// Throws UsageError for a PADLESS_ISA that cannot be had.
std::unique_ptr<Runtime> make_runtime(std::size_t threads);

/// The largest --batch-tokens.
inline constexpr std::uint64_t kMostBatchTokens = std::uint64_t{1} << 30;

/// --model, a folder.
void add_model_folder(CLI::App& command, std::string& folder);

/// Where a table of texts comes from.
struct DataOptions {
  std::string file;
  std::string text;
  std::optional<TableFormat> format;
};
/// --data, --text and --format.
void add_data_options(CLI::App& command, DataOptions& options);

/// What is known of each text.
struct LearntOptions {
  std::optional<std::string> label, labels, target, split;
  std::optional<std::string> label_separator;
};
/// --label, --labels, --label-separator, --target and --split; `split_help` says what the split is
/// for.
void add_learnt_options(CLI::App& command, LearntOptions& options, const std::string& split_help);
/// Throws UsageError unless there is one of --label, --labels and --target, and a separator, which
/// is not empty, with --labels alone.
void require_one(const LearntOptions& options);

}  // namespace padless::cli
