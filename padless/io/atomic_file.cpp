#include "padless/io/atomic_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <streambuf>
#include <vector>

#include "padless/io/file_descriptor.h"
#include "padless/io/regular_file.h"

namespace padless {
namespace {

namespace fs = std::filesystem;

void write_all(int fd, const fs::path& path, std::string_view bytes) {
  while (!bytes.empty()) {
    const ::ssize_t put = ::write(fd, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) throw system_error(path, "write");
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
}

/// Writes to a file descriptor and throws at the first write that fails.
class FileBuffer : public std::streambuf {
 public:
  FileBuffer(int fd, const fs::path& path) : fd_(fd), path_(path) {
    setp(block_.data(), block_.data() + block_.size());
  }

 protected:
  int_type overflow(int_type ch) override {
    flush_block();
    if (!traits_type::eq_int_type(ch, traits_type::eof())) {
      *pptr() = traits_type::to_char_type(ch);
      pbump(1);
    }
    return traits_type::not_eof(ch);
  }

  std::streamsize xsputn(const char* bytes, std::streamsize size) override {
    if (size <= 0) return 0;  // of nothing, `bytes` may be null
    if (size > epptr() - pptr()) flush_block();
    if (size > epptr() - pptr()) {
      write_all(fd_, path_, {bytes, static_cast<std::size_t>(size)});
    } else {
      std::memcpy(pptr(), bytes, static_cast<std::size_t>(size));
      pbump(static_cast<int>(size));
    }
    return size;
  }

  int sync() override {
    flush_block();
    return 0;
  }

 private:
  void flush_block() {
    const auto size = static_cast<std::size_t>(pptr() - pbase());
    setp(block_.data(), block_.data() + block_.size());
    write_all(fd_, path_, {pbase(), size});
  }

  int fd_;
  const fs::path& path_;
  std::array<char, 1 << 16> block_;
};

/// Where the bytes must end up: links followed, so that a rename does not replace the link.
fs::path follow_links(const fs::path& path) {
  std::error_code none;
  if (!fs::is_symlink(path, none)) return path;
  const fs::path target = fs::weakly_canonical(path, none);
  return target.empty() ? path : target;
}

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

/// Whether that is a temporary file of `target`: ".NAME.PROCESS.COUNT.tmp".
bool is_temporary(const fs::path& file, const fs::path& target) {
  const std::string name = file.filename().string();
  const std::string before = message('.', target.filename().string(), '.');
  constexpr std::string_view kBehind = ".tmp";
  if (!name.starts_with(before) || !name.ends_with(kBehind)) return false;
  const char* at = name.data() + before.size();
  const char* end = name.data() + name.size() - kBehind.size();
  unsigned process = 0, count = 0;
  const auto first = std::from_chars(at, end, process);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != '.') return false;
  const auto second = std::from_chars(first.ptr + 1, end, count);
  return second.ec == std::errc() && second.ptr == end;
}

/// Takes the lock by which the writer of a temporary file is known to live, until the file is
/// closed, by whatever end of the process. Not the process's number: another may have it by now, or
/// it is of another container.
bool lock(const FileDescriptor& fd) { return ::flock(fd.get(), LOCK_EX | LOCK_NB) == 0; }

/// Under its lock, so that nobody begins to write to it meanwhile. Opened for writing, as NFS asks
/// of a lock of one's own.
void remove_if_abandoned(const fs::path& temporary, std::error_code& failed) {
  const FileDescriptor fd(::open(temporary.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));
  if (fd && lock(fd)) fs::remove(temporary, failed);
}

void sync_folder(const fs::path& folder) {
  const FileDescriptor fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Some file systems cannot do this (EINVAL), some folders may be entered but not read (EACCES):
  // the file itself is safe by then.
  if (!fd) {
    if (errno == EACCES) return;
    throw system_error(folder, "open");
  }
  if (::fsync(fd.get()) != 0 && errno != EINVAL) throw system_error(folder, "sync");
}

}  // namespace

struct AtomicFile::State {
  explicit State(const fs::path& path) : given(path), target(follow_links(path)) {
    struct stat info {};
    if (::stat(given.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
      fd = FileDescriptor(::open(given.c_str(), O_WRONLY | O_CLOEXEC));
      if (!fd) throw system_error(given, "write");
    } else {
      open_temporary();
      // The new content keeps the old file's permissions; a failure leaves the usual ones.
      if (info.st_mode != 0) (void)!::fchmod(fd.get(), info.st_mode & 07777);
    }
    buffer = std::make_unique<FileBuffer>(fd.get(), given);
    stream = std::make_unique<std::ostream>(buffer.get());
    stream->exceptions(std::ios::badbit);  // lets the buffer's IoError through
  }

  ~State() {
    if (!temporary.empty()) ::unlink(temporary.c_str());
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  // Not mkstemp: its files are readable by their owner alone, whatever the umask says.
  void open_temporary() {
    static std::atomic<unsigned> count{0};
    for (;;) {
      temporary = folder_of(target) /
                  message('.', target.filename().string(), '.', ::getpid(), '.', count++, ".tmp");
      fd = FileDescriptor(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
      if (!fd && errno == EEXIST) continue;
      if (!fd) {
        temporary.clear();
        throw system_error(given, "write");
      }
      // Before it is locked another may take it for an abandoned one.
      const bool is_ours = lock(fd) || errno != EWOULDBLOCK;
      if (is_ours && ::access(temporary.c_str(), F_OK) == 0) return;
    }
  }

  fs::path given;
  fs::path target;
  fs::path temporary;  // empty: nothing to rename or remove
  FileDescriptor fd;
  std::unique_ptr<FileBuffer> buffer;
  std::unique_ptr<std::ostream> stream;
};

AtomicFile::AtomicFile(const fs::path& path) : state_(std::make_unique<State>(path)) {}
AtomicFile::~AtomicFile() = default;

std::ostream& AtomicFile::stream() { return *state_->stream; }

void AtomicFile::commit() {
  State& state = *state_;
  require_value(static_cast<bool>(state.fd), state.given.string(), ": committed twice");
  // After a write that failed the file has a hole; a caller who swallowed that error ends here.
  if (!*state.stream) {
    throw IoError(message(state.given.string(),
                          ": an earlier write failed, expected none before"
                          " the file is committed"));
  }
  state.stream->flush();
  const bool renames = !state.temporary.empty();
  if (renames) {
    if (::fsync(state.fd.get()) != 0) throw system_error(state.given, "sync");
    // Closed later, since the lock ends with that.
    if (std::rename(state.temporary.c_str(), state.target.c_str()) != 0) {
      throw system_error(state.given, "rename a temporary file to it");
    }
    state.temporary.clear();
  }
  if (::close(state.fd.release()) != 0) throw system_error(state.given, "close");
  if (renames) sync_folder(folder_of(state.target));
}

void write_file(const fs::path& path, std::string_view bytes) {
  AtomicFile file(path);
  file.stream() << bytes;
  file.commit();
}

void append_to_file(const fs::path& path, std::string_view bytes) {
  const FileDescriptor fd(::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666));
  if (!fd) throw system_error(path, "write");
  write_all(fd.get(), path, bytes);
  if (::fsync(fd.get()) != 0 && errno != EINVAL) throw system_error(path, "sync");
}

void require_writable(const fs::path& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0 || S_ISREG(info.st_mode)) {
    const AtomicFile attempt(path);
  } else if (S_ISDIR(info.st_mode)) {
    errno = EISDIR;
    throw system_error(path, "write");
  } else if (::access(path.c_str(), W_OK) != 0) {  // opened, a pipe would wait for its reader
    throw system_error(path, "write");
  }
}

void remove_temporaries_of(const fs::path& path) {
  const fs::path target = follow_links(path);
  std::vector<fs::path> left;
  std::error_code failed;
  for (fs::directory_iterator entry(folder_of(target), failed), end; !failed && entry != end;
       entry.increment(failed)) {
    if (is_temporary(entry->path(), target)) left.push_back(entry->path());
  }
  for (const fs::path& temporary : left) {
    if (!failed) remove_if_abandoned(temporary, failed);
  }
  if (failed) {
    throw IoError(
        message(folder_of(target).string(), ": cannot remove temporary files: ", failed.message()));
  }
}

void make_folder(const std::filesystem::path& path) {
  std::error_code failed;
  std::filesystem::create_directories(path, failed);
  // Of a name with a slash at its end some versions say that nothing was made: look instead.
  std::error_code unseen;
  if (!std::filesystem::is_directory(path, unseen)) {
    throw IoError(message(path.string(), ": cannot make the folder (",
                          failed ? failed.message() : "a file of that name is there", ")"));
  }
}

std::string read_file(const fs::path& path, std::size_t max_bytes) {
  const RegularFile file = open_regular_file(path);
  const auto require_at_most = [&](std::size_t size) {
    if (size <= max_bytes) return;
    throw FormatError(
        message(path.string(), ": is longer than ", max_bytes, " bytes, expected at most that"));
  };
  require_at_most(file.size);
  std::string bytes;
  bytes.reserve(file.size);
  std::array<char, 1 << 16> block;
  while (const std::size_t got = read_some(file.fd.get(), block.data(), block.size(), path)) {
    bytes.append(block.data(), got);
    require_at_most(bytes.size());  // it may have grown meanwhile
  }
  return bytes;
}

}  // namespace padless
