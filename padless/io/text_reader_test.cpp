#include "padless/io/text_reader.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <array>
#include <sstream>
#include <string>
#include <vector>

#include "padless/core/error.h"
#include "padless/io/atomic_file.h"
#include "padless/testing/temporary_folder.h"

namespace padless {
namespace {

using Lines = std::vector<std::string>;

Lines lines_of(TextReader reader) {
  Lines lines;
  for (std::string line; reader.next(line);) lines.push_back(line);
  return lines;
}

Lines lines_of(const std::string& bytes, std::size_t max_line = TextReader::kMaxLine) {
  std::istringstream stream(bytes);
  return lines_of(TextReader(stream, "in.txt", max_line));
}

std::string error_of(const std::string& bytes, std::size_t max_line = TextReader::kMaxLine) {
  try {
    (void)lines_of(bytes, max_line);
  } catch (const FormatError& error) {
    return error.what();
  }
  return "no FormatError";
}

/// One gzip member.
std::string gzip(std::string text) {
  std::string out(text.size() + 1024, '\0');
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(text.data());
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

/// Text that does not compress much, over several blocks of the reader.
std::string long_text() {
  std::string text;
  std::uint32_t state = 1;
  for (int i = 0; i < 60'000; ++i) {
    state = state * 1'664'525U + 1'013'904'223U;
    text += std::to_string(state >> 8) + (i % 7 == 0 ? "\n" : " ");
  }
  return text;
}

TEST(TextReader, GivesLinesHoweverTheyEnd) {
  EXPECT_EQ(lines_of(""), Lines{});
  EXPECT_EQ(lines_of("\n"), Lines{""});
  EXPECT_EQ(lines_of("a\nb"), (Lines{"a", "b"}));
  EXPECT_EQ(lines_of("a\nb\n"), (Lines{"a", "b"}));
  EXPECT_EQ(lines_of("a\r\n\r\nb\r"), (Lines{"a", "", "b"}));
  EXPECT_EQ(lines_of("a\rb\n"), (Lines{"a\rb"}));
}

TEST(TextReader, SkipsAByteOrderMarkAtTheStartOnly) {
  EXPECT_EQ(lines_of("\xEF\xBB\xBF"
                     "a\n\xEF\xBB\xBF"
                     "b"),
            (Lines{"a",
                   "\xEF\xBB\xBF"
                   "b"}));
}

TEST(TextReader, CountsLines) {
  std::istringstream stream("a\nb\n");
  TextReader reader(stream, "in.txt");
  std::string line;
  EXPECT_EQ(reader.line_number(), 0U);
  reader.next(line);
  reader.next(line);
  EXPECT_EQ(reader.where(), "in.txt:2");
  EXPECT_FALSE(reader.next(line));
  EXPECT_FALSE(reader.next(line));
  EXPECT_EQ(reader.line_number(), 2U);
}

TEST(TextReader, ALineLongerThanTheLimitIsRefused) {
  EXPECT_EQ(lines_of("12345\n12345", 5), (Lines{"12345", "12345"}));
  EXPECT_EQ(error_of("1\n123456\n", 5),
            "in.txt:2: the line is longer than 5 bytes, expected at most that");
  EXPECT_EQ(error_of(gzip(std::string(8'000'000, 'x')), 1'000'000),
            "in.txt:1: the line is longer than 1000000 bytes, expected at most that");
}

TEST(TextReader, UnpacksGzipOfOneOrSeveralMembers) {
  const std::string text = long_text();
  const Lines plain = lines_of(text);
  EXPECT_EQ(lines_of(gzip(text)), plain);
  const std::string two = gzip(text.substr(0, 100'003)) + gzip("") + gzip(text.substr(100'003));
  EXPECT_EQ(lines_of(two), plain);
  EXPECT_EQ(lines_of(two + std::string(1000, '\0')), plain);
}

TEST(TextReader, GzipThatIsCutOffOrCorruptIsRefused) {
  const std::string text = long_text();
  const std::string packed = gzip(text);
  for (const std::size_t size :
       {std::size_t{2}, std::size_t{9}, packed.size() / 2, packed.size() - 8, packed.size() - 1}) {
    EXPECT_EQ(error_of(packed.substr(0, size)),
              "in.txt: the gzip data is cut off, expected its end")
        << size;
  }
  std::string corrupt = packed;
  corrupt[corrupt.size() - 6] ^= 1;  // in the check sum
  EXPECT_EQ(error_of(corrupt),
            "in.txt: the gzip data is corrupt (incorrect data check), expected a whole .gz file");
  corrupt = packed;
  corrupt[corrupt.size() / 2] ^= 64;
  EXPECT_EQ(error_of(corrupt).find("in.txt: the gzip data is corrupt ("), 0U);
  EXPECT_EQ(error_of(packed + "more"),
            "in.txt: other data follows the gzip data, expected its end");
}

TEST(TextReader, OtherEncodingsAreRefusedWithFileAndLine) {
  EXPECT_EQ(error_of("one\ncaf\xE9 au lait\n")
                .find("in.txt:2: wrong encoding: byte 4 of the line, \"\\xe9\", is not UTF-8"),
            0U);
  EXPECT_EQ(error_of(std::string("a\nb\0c\n", 6)),
            "in.txt:2: wrong encoding: byte 2 of the line is zero, expected UTF-8 text");
  EXPECT_EQ(error_of(std::string("\xFF\xFE"
                                 "a\0b\0\n\0",
                                 8))
                .find("in.txt:1: wrong encoding: the text is UTF-16, expected UTF-8"),
            0U);
  EXPECT_EQ(error_of("\xFE\xFF").find("in.txt:1: wrong encoding: the text is UTF-16"), 0U);
}

TEST(TextReader, ReadsFilesAndNamesThemInErrors) {
  const TemporaryFolder folder;
  const auto path = folder / "texts.any";
  write_file(path, gzip("a\nb\n"));
  EXPECT_EQ(lines_of(TextReader(path)), (Lines{"a", "b"}));
  EXPECT_THROW(TextReader(folder / "none"), IoError);
  EXPECT_THROW(TextReader{folder.path()}, IoError);
}

}  // namespace
}  // namespace padless
