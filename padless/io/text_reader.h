#pragma once

#include <cstddef>
#include <filesystem>
#include <iosfwd>
#include <memory>
#include <string>

#include "padless/core/export.h"

namespace padless {

/// Lines of UTF-8 text from a file, from standard input or from a stream, in bounded memory.
///
/// What is gzip (by its first bytes, whatever the name; several members end to end too) is unpacked
/// on the way. A byte order mark at the start is skipped; "\r\n" ends a line as "\n" does; the last
/// line may end with the text.
///
/// Throws IoError when the input cannot be opened or read; FormatError, with file and line, when
/// the gzip data is broken or cut off, when a line is longer than max_line bytes, and when the text
/// is not UTF-8 or holds a zero byte.
class PADLESS_API TextReader {
 public:
  static constexpr std::size_t kMaxLine = std::size_t{64} << 20;  ///< bytes

  /// "-" is standard input.
  explicit TextReader(const std::filesystem::path& path, std::size_t max_line = kMaxLine);
  /// `name` stands for the stream in messages. The stream must outlive the reader.
  TextReader(std::istream& stream, std::string name, std::size_t max_line = kMaxLine);
  ~TextReader();
  TextReader(TextReader&&) noexcept;
  TextReader& operator=(TextReader&&) noexcept;

  /// The next line without its end; false when there is none.
  bool next(std::string& line);

  /// Of the line that next() gave last; the first is 1, and 0 is before it.
  std::size_t line_number() const;
  const std::string& name() const;
  /// "name:line", for messages.
  std::string where() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace padless
