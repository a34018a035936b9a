#include "padless/cli/stop.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <iterator>
#include <string>
#include <thread>

#include "padless/cli/descriptor_input.h"
#include "padless/cli/trained_for_test.h"
#include "padless/io/file_descriptor.h"

namespace padless::cli {
namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};

auto handler_of(int signal) {
  struct sigaction now {};
  ::sigaction(signal, nullptr, &now);
  return now.sa_handler;
}

TEST(Stop, IsAskedForByTheFirstSignalAndTheSecondFindsWhatWasThereBefore) {
  for (const int signal : kSignals) {
    {
      const StopRequest stop;
      EXPECT_FALSE(stop.asked());
      ::raise(signal);
      EXPECT_TRUE(stop.asked()) << signal;
      EXPECT_EQ(handler_of(signal), SIG_DFL);
    }
    const StopRequest another;
    EXPECT_FALSE(another.asked());
  }
  for (const int signal : kSignals) EXPECT_EQ(handler_of(signal), SIG_DFL) << signal;
}

TEST(Stop, LeavesIgnoredWhatIsIgnored) {
  for (const int signal : kSignals) {
    ::signal(signal, SIG_IGN);
    {
      const StopRequest stop;
      ::raise(signal);
      EXPECT_FALSE(stop.asked()) << signal;
    }
    EXPECT_EQ(handler_of(signal), SIG_IGN);
    ::signal(signal, SIG_DFL);
  }
}

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw system_error("a pipe", "make");
    from = FileDescriptor(ends[0]);
    to = FileDescriptor(ends[1]);
  }
  void write(const std::string& bytes) const {
    if (::write(to.get(), bytes.data(), bytes.size()) < 0) throw system_error("a pipe", "write");
  }
  FileDescriptor from, to;
};

TEST(Stop, EndsAWaitForInput) {
  const Pipe pipe;
  {
    const StopRequest stop;
    pipe.write("x");
    EXPECT_TRUE(StopRequest::wait_to_read(pipe.from.get()));
    char byte = 0;
    ASSERT_EQ(::read(pipe.from.get(), &byte, 1), 1);
    ::raise(SIGTERM);  // before the wait: it must not be slept over
    EXPECT_FALSE(StopRequest::wait_to_read(pipe.from.get()));
  }
  pipe.write("x");
  EXPECT_TRUE(StopRequest::wait_to_read(pipe.from.get()));  // nobody is there to ask
}

TEST(StandardInput, SaysWhyItCannotBeRead) {
  const FileDescriptor folder(::open("/", O_RDONLY | O_CLOEXEC));
  DescriptorInput input(folder.get(), kStandardInput);
  std::array<char, 4> bytes{};
  try {
    input.stream().read(bytes.data(), bytes.size());
    FAIL() << "a folder was read";
  } catch (const IoError& error) {
    EXPECT_STREQ(error.what(), "standard input: cannot read: Is a directory");
  }
}

TEST(StandardInput, GivesEveryByteToItsEnd) {
  Pipe pipe;
  pipe.write("one\ntwo");
  pipe.to.reset();
  DescriptorInput input(pipe.from.get(), kStandardInput);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(input.stream()), {}), "one\ntwo");
}

class StoppedPrediction : public TrainedModels {};

TEST_F(StoppedPrediction, EndsWhileItWaitsForMoreTextsAndLeavesNothing) {
  const TemporaryFolder folder;
  const Pipe pipe;
  DescriptorInput input(pipe.from.get(), kStandardInput);
  std::ostringstream out, err;
  std::thread user([&pipe] {
    // More than is read at a time, so that a row comes through; less than is predicted at a time.
    std::string table = "text\n";
    while (table.size() < 100'000) table += "It is the saw.\n";
    pipe.write(table);
    while (handler_of(SIGINT) == SIG_DFL) std::this_thread::yield();
    ::kill(::getpid(), SIGINT);
  });
  const Arguments arguments = {"predict",
                               "--model",
                               path("classes"),
                               "--data",
                               "-",
                               "--text",
                               "text",
                               "--threads",
                               "1",
                               "--out",
                               (folder / "out.jsonl").string()};
  const int code = run(arguments, {.in = input.stream(), .out = out, .err = err});
  user.join();
  EXPECT_EQ(code, 1);
  EXPECT_EQ(err.str(), "padless predict: interrupted after 0 texts\n");
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace padless::cli
