#include "padless/io/safetensors.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "padless/core/error.h"
#include "padless/io/atomic_file.h"
#include "padless/testing/bits.h"
#include "padless/testing/temporary_folder.h"

namespace padless {
namespace {

namespace fs = std::filesystem;

class Safetensors : public ::testing::Test {
 protected:
  /// Writes a file of that header and so many bytes of data, and gives the error that opening it
  /// is.
  std::string error_of(std::string_view header, std::size_t data_bytes) {
    const std::uint64_t length = header.size();
    std::string bytes(sizeof length, '\0');
    std::memcpy(bytes.data(), &length, sizeof length);
    bytes += header;
    bytes.append(data_bytes, '\x7F');
    return error_of_bytes(bytes);
  }

  std::string error_of_bytes(std::string_view bytes) {
    write_file(path_, bytes);
    try {
      const SafetensorsFile file(path_);
    } catch (const FormatError& error) {
      const std::string text = error.what();
      EXPECT_EQ(text.find(path_.string() + ": "), 0U) << text;
      return text.substr(path_.string().size() + 2);
    }
    return "no FormatError";
  }

  TemporaryFolder folder_;
  fs::path path_ = folder_ / "model.safetensors";
};

TEST_F(Safetensors, ReadsBackWhatWasWritten) {
  const std::vector<float> weight = {1.5F, -2.0F, 0.1F, 4.0F, 5.0F, -0.0F};
  const std::vector<float> one = {7.0F};
  const std::vector<std::byte> odd = {std::byte{1}, std::byte{2}, std::byte{3}};
  const std::vector<TensorToWrite> tensors = {{"odd", Dtype::i8, {3}, odd},
                                              {"weight", {2, 3}, weight},  // misaligned by odd
                                              {"empty", {0, 4}, {}},
                                              {"scalar \"\xC3\xA9\"", {}, one}};
  write_safetensors(path_, tensors, {{"format", "pt"}, {"b", ""}});

  const SafetensorsFile file(path_);
  EXPECT_EQ(file.metadata(), (Metadata{{"format", "pt"}, {"b", ""}}));
  ASSERT_EQ(file.tensors().size(), 4U);
  EXPECT_EQ(file.tensors()[0].name, "odd");
  EXPECT_EQ(file.at("weight").shape, (std::vector<std::size_t>{2, 3}));
  std::vector<float> read(6);
  file.read(file.at("weight"), read);
  testing::expect_same_bits(read, std::span(weight).first(6));
  std::vector<float> scalar(1);
  file.read(file.at("scalar \"\xC3\xA9\""), scalar);
  EXPECT_EQ(scalar, one);
  EXPECT_EQ(file.at("empty").count, 0U);
  file.read(file.at("empty"), {});
  std::vector<std::byte> bytes(3);
  file.read_bytes(file.at("odd"), bytes);
  EXPECT_EQ(bytes, odd);
  EXPECT_EQ(file.find("none"), nullptr);
  EXPECT_THROW((void)file.at("none"), FormatError);
}

TEST_F(Safetensors, EqualTensorsGiveEqualFilesWithAlignedData) {
  const std::vector<float> values = {1, 2};
  const std::vector<TensorToWrite> tensors = {{"b", {2}, values}, {"a", {2, 1}, values}};
  write_safetensors(path_, tensors);
  write_safetensors(folder_ / "again", tensors);
  const std::string bytes = read_file(path_, 1 << 20);
  EXPECT_EQ(bytes, read_file(folder_ / "again", 1 << 20));
  EXPECT_EQ((bytes.size() - 16) % 8, 0U);
  EXPECT_NE(bytes.find(R"({"b":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"a":)"),
            std::string::npos);
}

TEST_F(Safetensors, ReadingIntoTheWrongSizeOrTypeIsRefused) {
  const std::vector<float> values = {1, 2};
  const std::vector<TensorToWrite> tensors = {
      {"a", {2}, values}, {"h", Dtype::f16, {4}, std::as_bytes(std::span(values))}};
  write_safetensors(path_, tensors);
  const SafetensorsFile file(path_);
  std::vector<float> out(4);
  EXPECT_THROW(file.read(file.at("a"), out), ValueError);
  EXPECT_THROW(file.read(file.at("h"), out), FormatError);
}

TEST_F(Safetensors, WritingWhatDoesNotFitIsRefused) {
  const std::vector<float> values = {1, 2};
  const auto write = [&](std::vector<TensorToWrite> tensors) { write_safetensors(path_, tensors); };
  EXPECT_THROW(write({{"a", {3}, values}}), ValueError);
  EXPECT_THROW(write({{"a", {2}, values}, {"a", {2}, values}}), ValueError);
  EXPECT_THROW(write({{"__metadata__", {2}, values}}), ValueError);
  EXPECT_THROW(write({{"a", {std::size_t{1} << 62, 8}, {}}}), ValueError);
  EXPECT_FALSE(fs::exists(path_));
}

TEST_F(Safetensors, ALengthBeyondTheFileIsRefused) {
  EXPECT_EQ(error_of_bytes(""), "is 0 bytes, expected a safetensors file of at least 8");
  EXPECT_EQ(error_of_bytes("1234567"), "is 7 bytes, expected a safetensors file of at least 8");
  EXPECT_EQ(error_of_bytes(std::string("\x03\0\0\0\0\0\0\0{}", 10)),
            "the header's length is 3, expected at most 2 in a safetensors file of 10 bytes");
  EXPECT_NE(error_of_bytes(std::string(8, '\xFF') + "{}").find("18446744073709551615"),
            std::string::npos);
  EXPECT_EQ(error_of_bytes(std::string(8, '\0')), "the header starts with \"\", expected \"{\"");
  EXPECT_EQ(error_of(" {}", 0), "the header starts with \" {}\", expected \"{\"");
  EXPECT_NE(error_of("{]", 0).find("not valid JSON"), std::string::npos);
  EXPECT_EQ(error_of("{}", 0), "no FormatError");
}

TEST_F(Safetensors, EntriesThatDoNotFitAreRefused) {
  const auto entry = [](std::string_view dtype, std::string_view shape, std::string_view offsets) {
    return message(R"({"a":{"dtype":")", dtype, R"(","shape":)", shape, R"(,"data_offsets":)",
                   offsets, "}}");
  };
  EXPECT_EQ(error_of(entry("F32", "[2]", "[0,8]"), 8), "no FormatError");
  EXPECT_EQ(error_of(entry("F32", "[2]", "[0,4]"), 8),
            "'a' has 4 bytes, expected 8 for [2] of F32");
  EXPECT_EQ(error_of(entry("F32", "[2]", "[0,8]"), 7),
            "'a.data_offsets[1]' is 8, expected a whole number from 0 to 7");
  EXPECT_EQ(error_of(entry("F32", "[2]", "[8,0]"), 8),
            "'a.data_offsets[1]' is 0, expected a whole number from 8 to 8");
  EXPECT_EQ(error_of(entry("F32", "[2]", "[0,8]"), 9),
            "is 71 bytes, expected 70 as its tensors say");
  EXPECT_EQ(error_of(entry("F33", "[2]", "[0,8]"), 8).find("'a.dtype' is \"F33\", expected one of"),
            0U);
  EXPECT_EQ(error_of(entry("F32", "[4294967296,4294967296]", "[0,8]"), 8),
            "'a.shape[1]' is 4294967296, expected a shape whose elements can be counted");
  EXPECT_EQ(error_of(entry("F32", "[4611686018427387904]", "[0,0]"), 0),
            "'a.shape' is an array of 1, expected a shape whose bytes can be counted");
  for (const std::string_view shape : {"[-1]", "[1.0]", "[\"2\"]", "2", "null", "[[2]]"}) {
    EXPECT_NE(error_of(entry("F32", shape, "[0,8]"), 8), "no FormatError") << shape;
  }
  for (const std::string_view offsets : {"[0]", "[0,8,8]", "[-8,0]", "8", "[0,1e1]", "{}",
                                         "[0,18446744073709551615]", "[18446744073709551608,0]"}) {
    EXPECT_NE(error_of(entry("F32", "[2]", offsets), 8), "no FormatError") << offsets;
  }
  for (const std::string_view header :
       {"[]", R"({"a":1})", R"({"a":{}})", R"({"__metadata__":[]})", R"({"__metadata__":{"a":1}})",
        R"({"a":{"dtype":"F32","shape":[0]}})"}) {
    EXPECT_NE(error_of(header, 0), "no FormatError") << header;
  }
}

TEST_F(Safetensors, GapsOverlapsAndDoubledNamesAreRefused) {
  const auto two = [](std::string_view second, std::string_view offsets) {
    return message(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},")", second,
                   R"(":{"dtype":"U8","shape":[4],"data_offsets":)", offsets, "}}");
  };
  EXPECT_EQ(error_of(two("b", "[4,8]"), 8), "no FormatError");
  EXPECT_EQ(error_of(two("b", "[5,9]"), 9),
            "'b' begins at byte 5 of the data, expected 4, where the tensor before it ends");
  EXPECT_EQ(error_of(two("b", "[2,6]"), 6),
            "'b' begins at byte 2 of the data, expected 4, where the tensor before it ends");
  EXPECT_NE(error_of(two("b", "[0,4]"), 4), "no FormatError");
  EXPECT_NE(error_of(two("a", "[4,8]"), 8).find("\"a\" stands twice"), std::string::npos);
}

TEST_F(Safetensors, EveryTruncationIsRefused) {
  const std::vector<float> values = {1, 2, 3};
  const std::vector<TensorToWrite> tensors = {{"a", {3}, values}};
  write_safetensors(path_, tensors, {{"k", "v"}});
  const std::string whole = read_file(path_, 1 << 20);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_NE(error_of_bytes(whole.substr(0, size)), "no FormatError") << size;
  }
}

TEST_F(Safetensors, EveryChangedByteOfTheHeaderIsReadOrRefusedButNeverRunsAway) {
  const std::vector<float> values = {1, 2, 3};
  const std::vector<TensorToWrite> tensors = {{"a", {3}, values}};
  write_safetensors(path_, tensors);
  const std::string whole = read_file(path_, 1 << 20);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const char byte : {'\0', '9', '\xFF', '"', '}'}) {
      std::string changed = whole;
      changed[at] = byte;
      (void)error_of_bytes(changed);
    }
  }
}

TEST_F(Safetensors, AFileCutShortAfterOpeningIsAnErrorNotACrash) {
  const std::vector<float> values(4096, 1.0F);
  const std::vector<TensorToWrite> tensors = {{"a", {4096}, values}};
  write_safetensors(path_, tensors);
  const SafetensorsFile file(path_);
  fs::resize_file(path_, 100);
  std::vector<float> out(4096);
  EXPECT_THROW(file.read(file.at("a"), out), IoError);
}

TEST_F(Safetensors, AMissingFileAFolderOrAPipeIsAnIoError) {
  EXPECT_THROW(SafetensorsFile(folder_ / "none"), IoError);
  const fs::path pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const auto& [path, kind] : {std::pair(folder_.path(), "a folder"), {pipe, "a pipe"}}) {
    try {
      const SafetensorsFile file(path);
      ADD_FAILURE() << path << " was opened";
    } catch (const IoError& error) {
      EXPECT_EQ(error.what(), message(path.string(), ": is ", kind, ", expected a regular file"));
    }
  }
}

}  // namespace
}  // namespace padless
