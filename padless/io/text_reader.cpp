#include "padless/io/text_reader.h"

#include <array>
#include <cstring>
#include <string_view>
#include <vector>

#include "padless/core/error.h"
#include "padless/core/quote.h"
#include "padless/io/byte_source.h"

namespace padless {

struct TextReader::State {
  State(std::string input_name, std::unique_ptr<ByteSource> source, std::size_t max_line_bytes)
      : name(std::move(input_name)),
        bytes(std::move(source)),
        max_line(max_line_bytes),
        block(kBlock) {}

  static constexpr std::size_t kBlock = std::size_t{1} << 16;

  std::string where() const { return message(name, ":", line_number); }

  /// The bytes up to the next '\n' or the end; false at the end.
  bool take_line(std::string& line) {
    line.clear();
    bool any = false;
    for (;;) {
      if (begin == end) {
        begin = 0;
        end = bytes->read(block);
        if (end == 0) return any;
      }
      any = true;
      const char* from = block.data() + begin;
      const void* found = std::memchr(from, '\n', end - begin);
      const std::size_t size =
          found == nullptr ? end - begin
                           : static_cast<std::size_t>(static_cast<const char*>(found) - from);
      if (size > max_line - line.size()) {
        throw FormatError(message(where(), ": the line is longer than ", max_line,
                                  " bytes, expected at most that"));
      }
      line.append(from, size);
      begin += size;
      if (found != nullptr) {
        ++begin;
        return true;
      }
    }
  }

  /// Before anything else of the first line is looked at: in the two UTF-16 forms every other byte
  /// of plain text is zero, and the mark says so better.
  void check_mark(std::string& line) const {
    constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";
    if (line.starts_with(kUtf8Mark)) line.erase(0, kUtf8Mark.size());
    if (line.starts_with("\xFF\xFE") || line.starts_with("\xFE\xFF")) {
      throw FormatError(where() +
                        ": wrong encoding: the text is UTF-16, expected UTF-8; convert it with"
                        " iconv -f UTF-16 -t UTF-8");
    }
  }

  void check_encoding(std::string_view line) const {
    if (const std::size_t zero = line.find('\0'); zero != std::string_view::npos) {
      throw FormatError(message(where(), ": wrong encoding: byte ", zero + 1,
                                " of the line is zero, expected UTF-8 text"));
    }
    if (const auto bad = find_malformed_utf8(line)) {
      throw FormatError(message(where(), ": wrong encoding: byte ", *bad + 1, " of the line, ",
                                quote(line.substr(*bad, 1)),
                                ", is not UTF-8, expected UTF-8; convert the file with iconv -f"
                                " LATIN1 -t UTF-8, or from what it is in"));
    }
  }

  std::string name;
  std::unique_ptr<ByteSource> bytes;
  std::size_t max_line;
  std::vector<char> block;
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t line_number = 0;
};

TextReader::TextReader(const std::filesystem::path& path, std::size_t max_line)
    : state_(std::make_unique<State>(path == "-" ? "standard input" : path.string(),
                                     open_bytes(path), max_line)) {}
TextReader::TextReader(std::istream& stream, std::string name, std::size_t max_line) {
  auto bytes = open_bytes(stream, name);
  state_ = std::make_unique<State>(std::move(name), std::move(bytes), max_line);
}
TextReader::~TextReader() = default;
TextReader::TextReader(TextReader&&) noexcept = default;
TextReader& TextReader::operator=(TextReader&&) noexcept = default;

bool TextReader::next(std::string& line) {
  ++state_->line_number;
  if (!state_->take_line(line)) {
    --state_->line_number;
    return false;
  }
  if (state_->line_number == 1) state_->check_mark(line);
  if (line.ends_with('\r')) line.pop_back();
  state_->check_encoding(line);
  return true;
}

std::size_t TextReader::line_number() const { return state_->line_number; }
const std::string& TextReader::name() const { return state_->name; }
std::string TextReader::where() const { return state_->where(); }

}  // namespace padless
