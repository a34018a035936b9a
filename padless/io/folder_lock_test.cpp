#include "padless/io/folder_lock.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "padless/testing/temporary_folder.h"

namespace padless {
namespace {

namespace fs = std::filesystem;

TEST(FolderLock, OneHolderAtATimeAndNothingIsLeftBehind) {
  const TemporaryFolder folder, other;
  {
    const std::optional<FolderLock> lock = FolderLock::take(folder.path());
    EXPECT_TRUE(lock.has_value());
    EXPECT_FALSE(FolderLock::take(folder.path()).has_value());
    EXPECT_FALSE(FolderLock::take(folder.path() / ".").has_value());
    EXPECT_TRUE(FolderLock::take(other.path()).has_value());
  }
  EXPECT_TRUE(FolderLock::take(folder.path()).has_value());
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(FolderLock, OfAProcessThatIsKilledIsFree) {
  const TemporaryFolder folder;
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const ::pid_t holder = ::fork();
  ASSERT_GE(holder, 0);
  if (holder == 0) {
    const std::optional<FolderLock> lock = FolderLock::take(folder.path());
    const char taken = lock ? 1 : 0;
    if (::write(ready[1], &taken, 1) == 1) ::pause();
    ::_exit(1);
  }
  char taken = 0;
  EXPECT_EQ(::read(ready[0], &taken, 1), 1);
  EXPECT_EQ(taken, 1);
  EXPECT_FALSE(FolderLock::take(folder.path()).has_value());
  ::kill(holder, SIGKILL);
  EXPECT_EQ(::waitpid(holder, nullptr, 0), holder);
  EXPECT_TRUE(FolderLock::take(folder.path()).has_value());
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST(FolderLock, OfNoFolderIsAnError) {
  const TemporaryFolder folder;
  try {
    FolderLock::take(folder / "none");
    ADD_FAILURE() << "taken";
  } catch (const IoError& error) {
    EXPECT_EQ(error.what(),
              (folder / "none").string() + ": cannot open: No such file or directory");
  }
}

}  // namespace
}  // namespace padless
