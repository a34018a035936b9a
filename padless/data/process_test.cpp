#include "padless/data/process.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <stdexcept>

#include "padless/core/error.h"
#include "padless/io/file_descriptor.h"

namespace padless {
namespace {

std::string output;  // of the run before

ProcessEnd run(const std::vector<std::string>& arguments) {
  output.clear();
  return run_process(arguments, [](std::string_view piece) { output += piece; });
}

TEST(Process, HandsOverOutputAndTheEndOfTheErrors) {
  const ProcessEnd end = run({"sh", "-c", "echo one; echo two; echo broken >&2; exit 3"});
  EXPECT_EQ(output, "one\ntwo\n");
  EXPECT_EQ(end.exit_code, 3);
  EXPECT_FALSE(end.ok());
  EXPECT_EQ(end.errors, "broken");
}

TEST(Process, ArgumentsAreNotReadByAShell) {
  EXPECT_TRUE(run({"printf", "%s|", "a b", "$HOME", "'\"*;"}).ok());
  EXPECT_EQ(output, "a b|$HOME|'\"*;|");
}

TEST(Process, MuchOutputOnBothSidesDoesNotBlock) {
  const ProcessEnd end =
      run({"sh", "-c",
           "i=0; while [ $i -lt 20000 ]; do echo 0123456789; echo 0123456789 >&2;"
           " i=$((i+1)); done; echo last >&2"});
  EXPECT_EQ(output.size(), 20'000U * 11);
  EXPECT_TRUE(end.errors.ends_with("0123456789\nlast"));
  EXPECT_LE(end.errors.size(), 2000U);
}

TEST(Process, RunsInTheCLocaleWithoutInput) {
  // Standard input of this very test is a file with something in it.
  const FileDescriptor before(::dup(STDIN_FILENO));
  const FileDescriptor something(::memfd_create("something", MFD_CLOEXEC));
  ASSERT_EQ(::pwrite(something.get(), "x", 1, 0), 1);
  ::dup2(something.get(), STDIN_FILENO);
  const ProcessEnd end = run({"sh", "-c", "echo $LC_ALL; cat"});
  ::dup2(before.get(), STDIN_FILENO);
  EXPECT_TRUE(end.ok());
  EXPECT_EQ(output, "C.UTF-8\n");
}

TEST(Process, ASignalIsAnExitCode) { EXPECT_EQ(run({"sh", "-c", "kill -9 $$"}).exit_code, 137); }

TEST(Process, AProgramThatIsNotThereIsAnIoError) {
  try {
    run({"padless-no-such-program"});
    FAIL() << "nothing was thrown";
  } catch (const IoError& error) {
    EXPECT_STREQ(error.what(), "padless-no-such-program: cannot run: No such file or directory");
  }
}

TEST(Process, IsEndedWhenTheCallerGivesUp) {
  const std::vector<std::string> endless = {"sh", "-c", "echo x; exec sleep 1000"};
  EXPECT_THROW(run_process(endless, [](std::string_view) { throw std::runtime_error("enough"); }),
               std::runtime_error);
}

// Nobody would be there for what it still does.
TEST(Process, IsEndedWhenTheCallerIsKilled) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const FileDescriptor from(ends[0]);
  FileDescriptor to(ends[1]);  // the program has it too, and closes it by its end
  const ::pid_t caller = ::fork();
  if (caller == 0) {
    const std::string telling = "echo x >&" + std::to_string(to.get()) + "; exec sleep 60";
    run_process(std::vector<std::string>{"sh", "-c", telling}, [](std::string_view) {});
    ::_exit(0);
  }
  ASSERT_GT(caller, 0);
  to.reset();
  std::array<char, 16> bytes{};
  ASSERT_EQ(::read(from.get(), bytes.data(), bytes.size()), 2);  // the program runs
  ::kill(caller, SIGKILL);
  ASSERT_EQ(::waitpid(caller, nullptr, 0), caller);
  struct pollfd closed = {from.get(), POLLIN, 0};
  constexpr int kMilliseconds = 20'000;
  ASSERT_EQ(::poll(&closed, 1, kMilliseconds), 1) << "the program goes on";
  EXPECT_EQ(::read(from.get(), bytes.data(), bytes.size()), 0);
}

TEST(Process, DoesNotIgnoreWhatWeIgnore) {
  const auto before = ::signal(SIGPIPE, SIG_IGN);
  EXPECT_EQ(run({"sh", "-c", "kill -PIPE $$"}).exit_code, 128 + SIGPIPE);
  ::signal(SIGPIPE, before);
}

}  // namespace
}  // namespace padless
