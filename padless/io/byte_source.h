#pragma once

#include <cstddef>
#include <filesystem>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>

namespace padless {

/// Bytes in the order they come; what is gzip is unpacked.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Writes up to out.size() bytes and says how many; 0 at the end.
  virtual std::size_t read(std::span<char> out) = 0;

 protected:
  ByteSource() = default;
  ByteSource(const ByteSource&) = default;
  ByteSource& operator=(const ByteSource&) = default;
};

/// Of a file, or of standard input for "-".
std::unique_ptr<ByteSource> open_bytes(const std::filesystem::path& path);
/// Of a stream, which must outlive it; `name` is for messages.
std::unique_ptr<ByteSource> open_bytes(std::istream& stream, const std::string& name);

}  // namespace padless
