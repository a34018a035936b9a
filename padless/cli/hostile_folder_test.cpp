// Model folders that are cut short or whose bytes are changed: an error message, never a crash.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <random>

#include "padless/cli/run_for_test.h"
#include "padless/core/error.h"
#include "padless/io/atomic_file.h"
#include "padless/testing/temporary_folder.h"

namespace padless::cli {
namespace {

struct HostileFile {
  const char* name;
  Arguments learnt;
};

class HostileFolder : public testing::TestWithParam<HostileFile> {
 protected:
  HostileFolder() {
    const Ran ran = train_tiny(folder_.path(), "han", GetParam().learnt);
    EXPECT_EQ(ran.code, 0) << ran.err;
    whole_ = read_file(file_, std::size_t{1} << 24);
    said_ = predict().out;
    EXPECT_NE(said_, "");
  }

  Ran predict() const {
    return run_command(
        {"predict", "--model", model_.string(), "--data", "-", "--text", "text", "--threads", "1"},
        "text\nIt is the pear.\n");
  }
  Ran predict_with(const std::string& bytes) const {
    write_file(file_, bytes);
    return predict();
  }
  void expect_told(const Ran& ran, std::size_t at) const {
    EXPECT_EQ(ran.code, 1) << at;
    EXPECT_EQ(ran.out, "") << at;
    EXPECT_EQ(ran.err.find("padless predict: "), 0u) << at << ": " << ran.err;
    EXPECT_NE(ran.err.find(GetParam().name), std::string::npos) << at << ": " << ran.err;
  }

  TemporaryFolder folder_;
  const std::filesystem::path model_ = folder_ / "han";
  const std::filesystem::path file_ = model_ / GetParam().name;
  std::string whole_, said_;
};

TEST_P(HostileFolder, CutShortAnywhereIsTold) {
  // The line end behind JSON is no part of it.
  const std::size_t needed = whole_.ends_with("}\n") ? whole_.size() - 1 : whole_.size();
  const std::size_t step = whole_.size() < 4000 ? 1 : 7;
  for (std::size_t size = 0; size < needed; size += step) {
    expect_told(predict_with(whole_.substr(0, size)), size);
    if (HasFailure()) break;
  }
  expect_told(predict_with(whole_.substr(0, needed - 1)), needed - 1);
}

TEST_P(HostileFolder, WithChangedBytesNeverCrashes) {
  std::mt19937 random(1);
  for (int round = 0; round < 400; ++round) {
    std::string bytes = whole_;
    const int changes = 1 + round % 3;
    for (int change = 0; change < changes; ++change) {
      // The beginning, where a file says what follows, as often as all the rest.
      const std::size_t range =
          round % 2 == 0 ? std::min<std::size_t>(bytes.size(), 200) : bytes.size();
      bytes[random() % range] = static_cast<char>(random());
    }
    const Ran ran = predict_with(bytes);
    ASSERT_TRUE(ran.code == 0 || ran.code == 1) << round;
    EXPECT_EQ(ran.code == 0, ran.err.empty()) << round << ": " << ran.err;
    EXPECT_EQ(ran.code == 1, ran.err.starts_with("padless predict: ")) << round << ": " << ran.err;
  }
}

TEST_P(HostileFolder, EmptyOrOfZerosOrGoneIsTold) {
  expect_told(predict_with(std::string(whole_.size(), '\0')), 0);
  expect_told(predict_with(whole_ + whole_), 0);
  std::filesystem::remove(file_);
  expect_told(predict(), 0);
}

TEST_P(HostileFolder, APipeAFolderOrADeviceIsToldAtOnce) {
  const auto expect_kind_told = [&](const char* kind) {
    EXPECT_EQ(predict().err, message("padless predict: ", file_.string(), ": is ", kind,
                                     ", expected a regular file\n"));
    std::filesystem::remove(file_);
  };
  std::filesystem::remove(file_);
  ASSERT_EQ(::mkfifo(file_.c_str(), 0600), 0);
  expect_kind_told("a pipe");
  std::filesystem::create_directory(file_);
  expect_kind_told("a folder");
  std::filesystem::create_symlink("/dev/zero", file_);
  expect_kind_told("a device");
}

TEST_P(HostileFolder, MadeWholeAgainGivesTheSameBits) {
  expect_told(predict_with(""), 0);
  EXPECT_EQ(predict_with(whole_).out, said_);
}

const Arguments kClasses = {"--label", "kind"}, kLabels = {"--labels", "traits"},
                kNumbers = {"--target", "size"};

INSTANTIATE_TEST_SUITE_P(Files, HostileFolder,
                         testing::Values(HostileFile{"config.json", kClasses},
                                         HostileFile{"config.json", kLabels},
                                         HostileFile{"config.json", kNumbers},
                                         HostileFile{"model.safetensors", kClasses},
                                         HostileFile{"vocabulary.txt", kClasses}));

}  // namespace
}  // namespace padless::cli
