// For tests: trainings that Ctrl-C ends again and again.
#pragma once

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>

#include "padless/cli/run_for_test.h"
#include "padless/cli/training_log.h"

namespace padless::cli {

/// Where a terminal would be; the first to draw on it is interrupted.
class InterruptingTerminal : public std::stringbuf {
 protected:
  int sync() override {
    if (!has_interrupted_ && str().ends_with("\x1b[K")) {
      has_interrupted_ = true;
      std::raise(SIGINT);
    }
    return 0;
  }

 private:
  bool has_interrupted_ = false;
};

/// Runs a training of two epochs as a whole, and again interrupted after every batch: the model in
/// `folder`, where it is written, has to be the same bytes. Checkpoints are 200 batches apart: it
/// is the interruption that writes one.
inline void expect_the_same_model_interrupted(const Arguments& command,
                                              const std::filesystem::path& folder) {
  ASSERT_EQ(run_command(command).code, 0);
  std::map<std::string, std::string> whole;
  for (const char* file : {"model.safetensors", "config.json", "vocabulary.txt"}) {
    whole[file] = bytes_of(folder / file);
  }
  std::filesystem::remove_all(folder);

  int interruptions = 0;
  for (int code = 1; code != 0; ++interruptions) {
    ASSERT_LT(interruptions, 200);
    InterruptingTerminal terminal;
    std::istringstream in;
    std::ostringstream out;
    std::ostream err(&terminal);
    code = run(command + Arguments{"--resume"},
               {.in = in, .out = out, .err = err, .err_is_terminal = true});
    ASSERT_TRUE(code == 0 || terminal.str().find(
                                 "a checkpoint is written, and the same command with --resume") !=
                                 std::string::npos)
        << terminal.str();
  }
  EXPECT_GT(interruptions, 4);
  for (const auto& [file, bytes] : whole) EXPECT_EQ(bytes_of(folder / file), bytes) << file;
  EXPECT_EQ(read_training_log(folder / "log.jsonl").epochs.size(), 2u);
}

}  // namespace padless::cli
