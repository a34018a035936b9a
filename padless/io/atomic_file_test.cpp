#include "padless/io/atomic_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "padless/core/error.h"
#include "padless/io/file_descriptor.h"
#include "padless/testing/temporary_folder.h"

namespace padless {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPlenty = 1 << 20;

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(AtomicFile, AppearsWithItsContentWhenCommitted) {
  const TemporaryFolder folder;
  AtomicFile file(folder / "out.txt");
  file.stream() << "one " << 2;
  EXPECT_FALSE(fs::exists(folder / "out.txt"));
  file.commit();
  EXPECT_EQ(read_file(folder / "out.txt", kPlenty), "one 2");
  EXPECT_EQ(files_in(folder.path()), 1U);
}

TEST(AtomicFile, LeavesTheOldFileAndNothingElseWhenNotCommitted) {
  const TemporaryFolder folder;
  write_file(folder / "out.txt", "old");
  {
    AtomicFile file(folder / "out.txt");
    file.stream() << std::string(200'000, 'x') << std::flush;
  }
  EXPECT_EQ(read_file(folder / "out.txt", kPlenty), "old");
  EXPECT_EQ(files_in(folder.path()), 1U);
}

TEST(AtomicFile, KeepsEveryByteOfSmallAndLargeWrites) {
  const TemporaryFolder folder;
  std::string expected;
  AtomicFile file(folder / "out.bin");
  for (std::size_t size : {1, 65'535, 3, 65'536, 65'537, 0, 200'000, 7}) {
    const std::string part(size, static_cast<char>('a' + expected.size() % 26));
    file.stream() << part;
    expected += part;
  }
  for (char c = 0; c < 127; ++c) file.stream().put(c), expected.push_back(c);
  file.commit();
  EXPECT_EQ(read_file(folder / "out.bin", kPlenty), expected);
}

TEST(AtomicFile, AFullDiskIsAnErrorThatNamesTheFile) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  AtomicFile file("/dev/full");
  try {
    file.stream() << "x" << std::flush;
    FAIL() << "the write went through";
  } catch (const IoError& error) {
    EXPECT_STREQ(error.what(), "/dev/full: cannot write: No space left on device");
  }
  EXPECT_THROW(file.commit(), IoError);
  EXPECT_THROW(write_file("/dev/full", "x"), IoError);
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST(AtomicFile, AFolderThatIsMissingIsAnErrorThatNamesTheFile) {
  const TemporaryFolder folder;
  const fs::path path = folder / "none" / "out.txt";
  try {
    write_file(path, "x");
    FAIL() << "nothing was thrown";
  } catch (const IoError& error) {
    EXPECT_EQ(error.what(), path.string() + ": cannot write: No such file or directory");
  }
  EXPECT_THROW(write_file(folder.path(), "x"), IoError);
}

TEST(AtomicFile, ASymbolicLinkStaysALink) {
  const TemporaryFolder folder;
  write_file(folder / "real.txt", "old");
  fs::create_symlink("real.txt", folder / "link.txt");
  write_file(folder / "link.txt", "new");
  EXPECT_TRUE(fs::is_symlink(folder / "link.txt"));
  EXPECT_EQ(read_file(folder / "real.txt", kPlenty), "new");
}

TEST(AtomicFile, KeepsThePermissionsOfTheFileItReplaces) {
  const TemporaryFolder folder;
  write_file(folder / "out.txt", "old");
  fs::permissions(folder / "out.txt", fs::perms{0640});
  write_file(folder / "out.txt", "new");
  EXPECT_EQ(fs::status(folder / "out.txt").permissions(), fs::perms{0640});
  const ::mode_t old_mask = ::umask(0027);
  write_file(folder / "fresh.txt", "new");
  ::umask(old_mask);
  EXPECT_EQ(fs::status(folder / "fresh.txt").permissions(), fs::perms{0640});
}

TEST(AtomicFile, CommittingTwiceIsRefused) {
  const TemporaryFolder folder;
  AtomicFile file(folder / "out.txt");
  file.commit();
  EXPECT_THROW(file.commit(), ValueError);
}

TEST(AppendToFile, AddsToWhatIsThereOrMakesTheFile) {
  const TemporaryFolder folder;
  append_to_file(folder / "log", "one\n");
  append_to_file(folder / "log", "two\n");
  EXPECT_EQ(read_file(folder / "log", kPlenty), "one\ntwo\n");
  EXPECT_THROW(append_to_file(folder / "no" / "log", "x"), IoError);
}

TEST(RequireWritable, ThrowsWhatWritingWouldAndLeavesNothing) {
  const TemporaryFolder folder;
  write_file(folder / "old", "old");
  EXPECT_NO_THROW(require_writable(folder / "new"));
  EXPECT_NO_THROW(require_writable(folder / "old"));
  EXPECT_EQ(read_file(folder / "old", kPlenty), "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1);
  EXPECT_THROW(require_writable(folder / "no" / "file"), IoError);
  EXPECT_THROW(require_writable(folder.path()), IoError);
  // A pipe without a reader is not waited for.
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_NO_THROW(require_writable(folder / "pipe"));
}

TEST(RemoveTemporariesOf, TakesThoseThatNobodyWrites) {
  const TemporaryFolder folder;
  const std::string dead = "99999999";  // Linux numbers processes up to 2^22
  // A process of the writer's number may live, and be another.
  const std::vector<std::string> ours = {".a." + dead + ".0.tmp", ".a.1.0.tmp",
                                         message(".a.", ::getpid(), ".99999.tmp"),
                                         message(".a.", ::getppid(), ".7.tmp")};
  const std::vector<std::string> others = {"a",
                                           ".b." + dead + ".0.tmp",
                                           ".a." + dead + ".tmp",
                                           ".a." + dead + ".0x.tmp",
                                           ".a.." + dead + ".tmp",
                                           ".a.-" + dead + ".0.tmp",
                                           "a." + dead + ".0.tmp"};
  for (const std::string& name : ours) write_file(folder / name, "half");
  for (const std::string& name : others) write_file(folder / name, "whole");
  remove_temporaries_of(folder / "a");
  for (const std::string& name : ours) EXPECT_FALSE(fs::exists(folder / name)) << name;
  for (const std::string& name : others) EXPECT_TRUE(fs::exists(folder / name)) << name;
  EXPECT_THROW(remove_temporaries_of(folder / "no" / "a"), IoError);
}

TEST(RemoveTemporariesOf, LeavesAFileThatIsBeingWritten) {
  const TemporaryFolder folder;
  {
    AtomicFile file(folder / "a");
    file.stream() << "whole" << std::flush;
    const fs::path temporary = fs::directory_iterator(folder.path())->path();
    // As one of another container looks, whose processes have no numbers here.
    const fs::path renamed = folder / ".a.99999999.0.tmp";
    fs::rename(temporary, renamed);
    remove_temporaries_of(folder / "a");
    ASSERT_TRUE(fs::exists(renamed));
    fs::rename(renamed, temporary);
    file.commit();
  }
  EXPECT_EQ(read_file(folder / "a", kPlenty), "whole");
  EXPECT_EQ(files_in(folder.path()), 1U);
}

/// What another process does at the one moment that counts: when a temporary file is made and not
/// yet locked.
class BeforeTheLock {
 public:
  explicit BeforeTheLock(std::function<void()> act) { act_ = std::move(act); }
  ~BeforeTheLock() { act_ = nullptr; }
  BeforeTheLock(const BeforeTheLock&) = delete;
  BeforeTheLock& operator=(const BeforeTheLock&) = delete;

  /// Acts, once: what it does may ask for locks of its own.
  static void come() {
    if (const std::function<void()> act = std::exchange(act_, nullptr)) act();
  }
  static bool came() { return act_ == nullptr; }

 private:
  static inline std::function<void()> act_;
};

TEST(RemoveTemporariesOf, BetweenTheMakingOfAFileAndItsLockMakesTheWriterMakeItAgain) {
  const TemporaryFolder folder;
  std::vector<fs::path> removed;
  const BeforeTheLock other([&] {
    for (const auto& entry : fs::directory_iterator(folder.path())) removed.push_back(entry);
    remove_temporaries_of(folder / "a");
  });
  AtomicFile file(folder / "a");
  ASSERT_TRUE(BeforeTheLock::came());
  ASSERT_EQ(removed.size(), 1U);
  EXPECT_FALSE(fs::exists(removed[0]));
  EXPECT_EQ(files_in(folder.path()), 1U) << "the file under way is gone";
  file.stream() << "whole";
  file.commit();
  EXPECT_EQ(read_file(folder / "a", kPlenty), "whole");
}

TEST(RemoveTemporariesOf, WithTheLockAlreadyMakesTheWriterTakeAnotherFile) {
  const TemporaryFolder folder;
  FileDescriptor removers;
  fs::path taken;
  const BeforeTheLock other([&] {
    taken = fs::directory_iterator(folder.path())->path();
    removers = FileDescriptor(::open(taken.c_str(), O_WRONLY | O_CLOEXEC));
    ASSERT_EQ(::flock(removers.get(), LOCK_EX | LOCK_NB), 0);
  });
  AtomicFile file(folder / "a");
  ASSERT_TRUE(BeforeTheLock::came());
  fs::remove(taken);  // as it would have been
  EXPECT_EQ(files_in(folder.path()), 1U) << "the file under way is the one that was to go";
  file.stream() << "whole";
  file.commit();
  EXPECT_EQ(read_file(folder / "a", kPlenty), "whole");
}

TEST(ReadFile, RefusesMoreThanTheStatedSize) {
  const TemporaryFolder folder;
  write_file(folder / "a", "12345");
  EXPECT_EQ(read_file(folder / "a", 5), "12345");
  EXPECT_THROW(read_file(folder / "a", 4), FormatError);
  write_file(folder / "large", std::string(150'000, 'x'));  // several blocks
  EXPECT_EQ(read_file(folder / "large", 150'000).size(), 150'000U);
  EXPECT_THROW(read_file(folder / "large", 149'999), FormatError);
  EXPECT_THROW(read_file(folder / "b", 4), IoError);
}

// A pipe would keep the reader waiting, a device would never end.
TEST(ReadFile, RefusesAtOnceWhatIsNoRegularFile) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  fs::create_symlink("/dev/zero", folder / "link");
  write_file(folder / "file", "text");
  fs::create_symlink("file", folder / "link to a file");
  const auto refusal = [&](const fs::path& path) -> std::string {
    try {
      return "it holds " + read_file(path, kPlenty);
    } catch (const IoError& error) {
      return error.what();
    }
  };
  EXPECT_EQ(refusal(folder / "pipe"),
            (folder / "pipe").string() + ": is a pipe, expected a regular file");
  EXPECT_EQ(refusal(folder / "link"),
            (folder / "link").string() + ": is a device, expected a regular file");
  EXPECT_EQ(refusal(folder.path()),
            folder.path().string() + ": is a folder, expected a regular file");
  EXPECT_EQ(refusal(folder / "link to a file"), "it holds text");
}

TEST(ReadFile, RefusesAFileThatIsTooLongBeforeItIsRead) {
  const TemporaryFolder folder;
  write_file(folder / "sparse", "");
  // Larger than any memory: to read it first would take it all.
  fs::resize_file(folder / "sparse", std::uintmax_t{1} << 42);
  EXPECT_THROW(read_file(folder / "sparse", std::size_t{1} << 41), FormatError);
}

}  // namespace
}  // namespace padless

// In place of the C library's, for this program alone.
extern "C" int flock(int fd, int operation) noexcept {
  padless::BeforeTheLock::come();
  return static_cast<int>(::syscall(SYS_flock, fd, operation));
}
