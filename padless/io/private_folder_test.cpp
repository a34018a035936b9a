#include "padless/io/private_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "padless/core/error.h"
#include "padless/io/atomic_file.h"
#include "padless/testing/temporary_folder.h"

namespace padless {
namespace {

namespace fs = std::filesystem;

std::string refusal_of(const fs::path& path) {
  try {
    make_private_folder(path);
  } catch (const IoError& error) {
    return error.what();
  }
  return "none";
}

std::string refusal(const fs::path& folder, const std::string& found) {
  return message(folder.string(), ": ", found, ", expected a folder of user ", ::geteuid(),
                 " in which nobody else may write; the way out: remove it or take another folder");
}

TEST(PrivateFolder, IsMadeOrTakenAsItIs) {
  const TemporaryFolder folder;
  const ::mode_t old_mask = ::umask(0);
  EXPECT_EQ(refusal_of(folder / "deep" / "own"), "none");
  ::umask(old_mask);
  EXPECT_EQ(fs::status(folder / "deep" / "own").permissions(), fs::perms{0755});
  EXPECT_EQ(refusal_of(folder / "deep" / "own"), "none");
  EXPECT_EQ(refusal_of((folder / "deep" / "own").string() + "/"), "none");
}

TEST(PrivateFolder, IsNoneThatOthersMayWriteIn) {
  const TemporaryFolder folder;
  for (const int open : {0775, 0757, 01777}) {
    const fs::path shared = folder / std::to_string(open);
    fs::create_directory(shared);
    fs::permissions(shared, static_cast<fs::perms>(open));
    EXPECT_EQ(refusal_of(shared), refusal(shared, "may be written in by others"));
  }
}

TEST(PrivateFolder, IsNoSymbolicLink) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "own");
  fs::create_symlink("own", folder / "link");
  EXPECT_EQ(refusal_of(folder / "link"), refusal(folder / "link", "is a symbolic link"));
  EXPECT_EQ(refusal_of((folder / "link").string() + "/"),
            refusal(folder / "link", "is a symbolic link"));
  write_file(folder / "file", "");
  EXPECT_EQ(refusal_of(folder / "file"),
            (folder / "file").string() + ": cannot open the folder: Not a directory");
}

TEST(PrivateFolder, IsNoOtherUsers) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a folder away";
  const TemporaryFolder folder;
  fs::create_directory(folder / "theirs");
  ASSERT_EQ(::chown((folder / "theirs").c_str(), 65534, 65534), 0);
  EXPECT_EQ(refusal_of(folder / "theirs"), refusal(folder / "theirs", "belongs to user 65534"));
}

}  // namespace
}  // namespace padless
