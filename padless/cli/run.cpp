#include "padless/cli/run.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <new>
#include <ostream>
#include <vector>

#include "padless/cli/commands.h"
#include "padless/cli/options.h"
#include "padless/cli/output.h"
#include "padless/cli/stop.h"
#include "padless/core/error.h"
#include "padless/viz/escape.h"

namespace padless::cli {
namespace {

// The order in which help lists them.
constexpr auto kCommands = {
    add_train, add_predict, add_evaluate, add_explain, add_data, add_study, add_info,
};

constexpr int kDone = 0, kFailed = 1, kWrongUse = 2;

constexpr const char* kExamples =
    "Examples:\n"
    "  padless data debian --out packages.tsv\n"
    "  padless train --model han --data packages.tsv --text text --label section --split split "
    "--out han\n"
    "  padless explain --model han --text \"A fast video player. It plays DVDs.\"\n"
    "\n"
    "padless COMMAND --help lists a command's options.";

// The commands met so far, for messages: "padless data debian".
std::string name_of(const CLI::App& app) {
  std::string name = app.get_name();
  for (const CLI::App* command : app.get_subcommands()) name += " " + name_of(*command);
  return name;
}

// CLI11 would say only that a command is missing: of the program, or of one that has some itself.
void require_command(const CLI::App& app) {
  const std::vector<const CLI::App*> all = app.get_subcommands(nullptr);
  const std::vector<CLI::App*> given = app.get_subcommands();
  if (!given.empty()) return require_command(*given.front());
  if (all.empty()) return;
  std::string names;
  for (const CLI::App* command : all) names += (names.empty() ? "" : ", ") + command->get_name();
  const std::vector<std::string> unknown = app.remaining();
  if (unknown.empty() || unknown.front().starts_with('-')) {
    throw UsageError("no command is given, expected one of " + names);
  }
  throw UsageError(message("there is no command '", unknown.front(), "', expected one of ", names));
}

void parse_and_run(CLI::App& app, std::span<const std::string> arguments, const Console& console) {
  // CLI11 takes them from the back.
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    app.parse(std::move(reversed));
  } catch (const CLI::Success& asked_for_help) {
    app.exit(asked_for_help, console.out, console.err);
  } catch (const CLI::RequiredError&) {
    require_command(app);
    throw;
  }
  require_written(console.out);
}

// The one table from kinds of errors to exit codes.
int report(const std::string& command, const Console& console) {
  const auto tell = [&](int code, const char* what) {
    // Names and values in a message come from files and arguments: strangers'.
    try {
      console.err << command << ": " << viz::escape_terminal(what) << std::endl;
    } catch (...) {  // Even a message takes memory.
      console.err << command << ": the memory is not enough" << std::endl;
    }
    return code;
  };
  try {
    throw;
  } catch (const UsageError& error) {
    return tell(kWrongUse, error.what());
  } catch (const CLI::ParseError& error) {
    const std::string what = message(error.what(), "; ", command, " --help lists the options");
    return tell(kWrongUse, what.c_str());
  } catch (const ClosedPipe&) {
    return kFailed;  // The reader has had enough: nobody wants to hear of it.
  } catch (const std::bad_alloc&) {
    return tell(kFailed, "the memory is not enough");
  } catch (const std::exception& error) {  // Error among them
    return tell(kFailed, error.what());
  } catch (...) {
    return tell(kFailed, "an unknown error");
  }
}

}  // namespace

// NOLINTNEXTLINE(bugprone-exception-escape): all is caught, also while an error is told.
int run(std::span<const std::string> arguments, const Console& console) noexcept {
  CLI::App app("Attention for text of every length, without the padding", "padless");
  try {
    app.set_version_flag("--version", "padless " PADLESS_VERSION);
    app.require_subcommand(1);
    app.get_formatter()->column_width(32);
    app.footer(kExamples);
    for (const auto add : kCommands) add(app, console);
    parse_and_run(app, arguments, console);
    return kDone;
  } catch (...) {
    return report(name_of(app), console);
  }
}

}  // namespace padless::cli
