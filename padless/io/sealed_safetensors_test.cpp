#include "padless/io/sealed_safetensors.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "padless/core/error.h"
#include "padless/io/atomic_file.h"
#include "padless/testing/temporary_folder.h"

namespace padless {
namespace {

constexpr std::size_t kMost = 1 << 20;

class Sealed : public testing::Test {
 protected:
  Sealed() { write_sealed_safetensors(path_, tensors_, {{"run", "a"}, {"step", "17"}}); }

  bool is_sealed() const { return check_seal(SafetensorsFile(path_), path_); }

  const std::vector<float> values_ = {1.5F, -2.0F, 0.1F, 4.0F};
  const std::vector<TensorToWrite> tensors_ = {{"weight", {2, 2}, values_},
                                               {"bias", {1, 4}, values_}};
  const TemporaryFolder folder_;
  const std::filesystem::path path_ = folder_ / "model.safetensors";
};

TEST_F(Sealed, AWholeFileIsWhatItsChecksumSays) {
  EXPECT_TRUE(is_sealed());
  EXPECT_EQ(SafetensorsFile(path_).metadata()[1].second, "17");
}

TEST_F(Sealed, AFileOfAnotherToolHasNone) {
  write_safetensors(path_, tensors_, {{"format", "pt"}});
  EXPECT_FALSE(is_sealed());
}

TEST_F(Sealed, EveryFlippedBitOfTheDataIsFound) {
  const std::string whole = read_file(path_, kMost);
  for (std::size_t at = whole.size() - 2 * sizeof(float) * values_.size(); at < whole.size();
       ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ (1 << bit));
      write_file(path_, changed);
      EXPECT_THROW(is_sealed(), FormatError) << at << ", " << bit;
    }
  }
}

TEST_F(Sealed, AChangedHeaderIsFound) {
  const std::string whole = read_file(path_, kMost);
  // The same sizes: the file is as valid as before, and means something else.
  const std::vector<std::pair<std::string, std::string>> changes = {
      {"\"17\"", "\"71\""},   {"\"a\"", "\"b\""}, {"\"weight\"", "\"weighs\""},
      {"\"run\"", "\"ran\""}, {"[2,2]", "[1,4]"}, {"[1,4]", "[4,1]"},
      {"\"F32\"", "\"I32\""}};
  for (const auto& [from, to] : changes) {
    std::string changed = whole;
    changed.replace(changed.find(from), from.size(), to);
    write_file(path_, changed);
    EXPECT_THROW(is_sealed(), FormatError) << from;
  }
}

TEST_F(Sealed, TheRefusalSaysWhatWasFound) {
  std::string changed = read_file(path_, kMost);
  changed.back() = '\x01';
  write_file(path_, changed);
  const std::string stated = SafetensorsFile(path_).metadata().back().second;
  try {
    is_sealed();
    ADD_FAILURE() << "accepted";
  } catch (const FormatError& error) {
    const std::string text = error.what();
    EXPECT_EQ(text.find(path_.string() + ": its content has the checksum "), 0u) << text;
    EXPECT_NE(text.find(", expected \"" + stated + "\" by its metadata: the file is damaged"),
              std::string::npos)
        << text;
  }
}

}  // namespace
}  // namespace padless
