// For tests: a command line in, an exit code and strings out; and a small set to train on.
#pragma once

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "padless/cli/run.h"
#include "padless/core/error.h"
#include "padless/io/atomic_file.h"

namespace padless::cli {

/// What stands behind `padless` on a command line.
using Arguments = std::vector<std::string>;

inline Arguments operator+(Arguments left, const Arguments& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

/// What a command came to.
struct Ran {
  int code;
  std::string out, err;
};

/// Runs the command in this process, with strings for streams and no terminal.
inline Ran run_command(const Arguments& arguments, const std::string& standard_input = "") {
  std::istringstream in(standard_input);
  std::ostringstream out, err;
  const int code = run(arguments, {.in = in, .out = out, .err = err});
  return {code, out.str(), err.str()};
}

/// All of a file, of at most 16 MiB.
inline std::string bytes_of(const std::filesystem::path& file) {
  return read_file(file, std::size_t{1} << 24);
}

/// A TSV of texts of unequal lengths with the columns kind, size, traits (none to two labels) and
/// text.
inline std::string small_table(std::size_t texts = 24) {
  const std::vector<std::string> kinds = {"fruit", "tool", "bird"};
  const std::vector<std::string> words = {"apple", "hammer", "sparrow", "pear", "saw", "robin"};
  std::string table = "kind\tsize\ttraits\ttext\n";
  for (std::size_t i = 0; i < texts; ++i) {
    std::string text = "It is the " + words[i % 6] + ".";
    for (std::size_t more = 0; more < i % 5; ++more) text += "\\nOne more word " + words[i % 3];
    const std::string traits = (i % 4 == 0 ? "" : kinds[i % 3]) + (i % 5 > 2 ? "|long" : "");
    table += message(kinds[i % 3], '\t', i % 7, ".5\t", traits, '\t', text, '\n');
  }
  return table;
}

/// Makes a training of a moment.
inline Arguments tiny() {
  return {"--epochs",       "2",  "--hidden",    "4", "--embedding", "4",
          "--attention",    "4",  "--min-count", "1", "--threads",   "1",
          "--batch-tokens", "20", "--shards",    "2", "--seed",      "3"};
}

/// Trains folder/NAME on folder/data.tsv, where small_table() is put.
inline Ran train_tiny(const std::filesystem::path& folder, const std::string& name,
                      const Arguments& learnt) {
  write_file(folder / "data.tsv", small_table());
  return run_command(Arguments{"train", "--model", "han", "--data", (folder / "data.tsv").string(),
                               "--text", "text", "--out", (folder / name).string()} +
                     tiny() + learnt);
}

}  // namespace padless::cli
