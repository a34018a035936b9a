#include "padless/data/process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "padless/io/file_descriptor.h"

namespace padless {
namespace {

/// Where a process starts from: its files.
class FileActions {
 public:
  FileActions() { ::posix_spawn_file_actions_init(&actions_); }
  ~FileActions() { ::posix_spawn_file_actions_destroy(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;

  void no_input() {
    ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  }
  void put(int fd, int as) { ::posix_spawn_file_actions_adddup2(&actions_, fd, as); }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

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
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
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

  FileActions actions;
  actions.no_input();
  actions.put(to.get(), STDOUT_FILENO);
  actions.put(errors.get(), STDERR_FILENO);
  std::vector<std::string> words(arguments.begin(), arguments.end());
  std::vector<std::string> environment = environment_in_c_locale();
  ::pid_t pid = 0;
  errno = ::posix_spawnp(&pid, program.c_str(), actions.get(), nullptr, pointers(words).data(),
                         pointers(environment).data());
  if (errno != 0) throw system_error(program, "run");
  Child child(pid);
  to.reset();

  std::array<char, 1 << 16> block;
  while (const std::size_t got = read_some(from.get(), block.data(), block.size(), program)) {
    take({block.data(), got});
  }
  const int code = child.wait();
  return {code, tail(errors.get())};
}

}  // namespace padless
