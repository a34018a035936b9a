#include "padless/data/process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "padless/io/file_descriptor.h"

namespace padless {
namespace {

// From fork to exec there are system calls alone: another thread may have held any lock.

int exit_code_of(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// A program to be, and the descriptors of its side.
struct Launch {
  char* const* words;
  char* const* environment;
  int output, errors;
  int failure;  ///< told the system's reason where it cannot become the program, then closed
};

/// Makes the new process the program.
[[noreturn]] void become(const Launch& launch) {
  // What we ignore, and hand on, is ours to ignore.
  for (const int signal : {SIGPIPE, SIGXFSZ}) ::signal(signal, SIG_DFL);
  const int input = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (input >= 0 && ::dup2(input, STDIN_FILENO) >= 0 && ::dup2(launch.output, STDOUT_FILENO) >= 0 &&
      ::dup2(launch.errors, STDERR_FILENO) >= 0) {
    ::execvpe(launch.words[0], launch.words, launch.environment);
  }
  const int reason = errno;
  (void)!::write(launch.failure, &reason, sizeof reason);
  ::_exit(127);
}

/// Between us and the program stands a process that ends it when we end, by whatever cause: nobody
/// would be there for what it still does. The kernel can be asked that of the program itself, but
/// forgets it when a program changes its user, as apt-get does for root.
[[noreturn]] void watch_over(const Launch& launch, ::pid_t parent) {
  ::sigset_t watched, before;
  ::sigemptyset(&watched);
  ::sigaddset(&watched, SIGTERM);
  ::sigaddset(&watched, SIGCHLD);
  ::signal(SIGCHLD, SIG_DFL);
  ::sigprocmask(SIG_BLOCK, &watched, &before);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(128 + SIGTERM);
  const ::pid_t program = ::fork();
  if (program <= 0) {
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    become(launch);  // where there is no other process, it may as well be this one
  }
  ::close(launch.output);
  ::close(launch.failure);
  // The terminal sends these to the program too.
  for (const int signal : {SIGINT, SIGQUIT, SIGHUP}) ::signal(signal, SIG_IGN);
  for (;;) {
    int status = 0;
    if (::waitpid(program, &status, WNOHANG) == program) ::_exit(exit_code_of(status));
    int signal = 0;
    ::sigwait(&watched, &signal);
    if (signal == SIGTERM) ::kill(program, SIGTERM);
  }
}

/// A running child, ended when nobody waits for it.
class Child {
 public:
  explicit Child(::pid_t pid) : pid_(pid) {}
  ~Child() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGTERM);
    (void)wait();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  int wait() {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = 0;
    return exit_code_of(status);
  }

 private:
  ::pid_t pid_;
};

std::vector<std::string> environment_in_c_locale() {
  std::vector<std::string> out;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (!text.starts_with("LC_") && !text.starts_with("LANG")) out.emplace_back(text);
  }
  out.emplace_back("LC_ALL=C.UTF-8");
  return out;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  out.reserve(texts.size() + 1);
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

/// The last few lines of a file's bytes.
std::string tail(int fd) {
  std::array<char, 2000> block;
  const ::off_t size = ::lseek(fd, 0, SEEK_END);
  const ::off_t from = std::max<::off_t>(0, size - static_cast<::off_t>(block.size()));
  const ::ssize_t got = ::pread(fd, block.data(), block.size(), from);
  std::string text(block.data(), static_cast<std::size_t>(std::max<::ssize_t>(0, got)));
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace

ProcessEnd run_process(std::span<const std::string> arguments,
                       const std::function<void(std::string_view)>& take) {
  const std::string& program = arguments.front();
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw system_error(program, "make a pipe to it");
  const FileDescriptor from(ends[0]);
  FileDescriptor to(ends[1]);
  const FileDescriptor errors(::memfd_create("errors", MFD_CLOEXEC));
  if (!errors) throw system_error(program, "keep its errors");

  std::vector<std::string> words(arguments.begin(), arguments.end());
  std::vector<std::string> environment = environment_in_c_locale();
  const std::vector<char*> word_pointers = pointers(words);
  const std::vector<char*> environment_pointers = pointers(environment);
  // Closed by what becomes the program; otherwise told why it did not.
  std::array<int, 2> failure_ends{};
  if (::pipe2(failure_ends.data(), O_CLOEXEC) != 0)
    throw system_error(program, "make a pipe to it");
  const FileDescriptor failure(failure_ends[0]);
  FileDescriptor to_failure(failure_ends[1]);

  const ::pid_t parent = ::getpid();
  const ::pid_t pid = ::fork();
  if (pid < 0) throw system_error(program, "run");
  if (pid == 0) {
    watch_over({.words = word_pointers.data(),
                .environment = environment_pointers.data(),
                .output = to.get(),
                .errors = errors.get(),
                .failure = to_failure.get()},
               parent);
  }
  Child child(pid);
  to.reset();
  to_failure.reset();
  int reason = 0;
  if (read_some(failure.get(), &reason, sizeof reason, program) == sizeof reason) {
    errno = reason;
    throw system_error(program, "run");
  }

  std::array<char, 1 << 16> block;
  while (const std::size_t got = read_some(from.get(), block.data(), block.size(), program)) {
    take({block.data(), got});
  }
  const int code = child.wait();
  return {code, tail(errors.get())};
}

}  // namespace padless
