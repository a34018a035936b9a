#include "padless/io/byte_source.h"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <istream>
#include <vector>

#include "padless/core/error.h"
#include "padless/io/file_descriptor.h"

namespace padless {
namespace {

class FileSource final : public ByteSource {
 public:
  explicit FileSource(const std::filesystem::path& path) : path_(path) {
    if (path == "-") {
      path_ = "standard input";
      // A copy, because standard input is not ours to close.
      fd_ = FileDescriptor(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0));
    } else {
      fd_ = FileDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    }
    if (!fd_) throw system_error(path_, "open");
  }
  std::size_t read(std::span<char> out) override {
    return read_some(fd_.get(), out.data(), out.size(), path_);
  }

 private:
  std::filesystem::path path_;
  FileDescriptor fd_;
};

class StreamSource final : public ByteSource {
 public:
  StreamSource(std::istream& stream, std::string name) : stream_(stream), name_(std::move(name)) {}
  std::size_t read(std::span<char> out) override {
    stream_.read(out.data(), static_cast<std::streamsize>(out.size()));
    if (stream_.bad()) throw IoError(name_ + ": cannot read");
    return static_cast<std::size_t>(stream_.gcount());
  }

 private:
  std::istream& stream_;
  std::string name_;
};

/// Passes bytes on as they are, or unpacked when the first two are gzip's.
class GunzipSource final : public ByteSource {
 public:
  GunzipSource(std::unique_ptr<ByteSource> raw, std::string name)
      : raw_(std::move(raw)), name_(std::move(name)), block_(kBlock) {
    fill(2);
    packed_ = starts_member();
    // 16: gzip's frame alone, with its check sum. zlib fails here for want of memory only.
    if (packed_ && ::inflateInit2(&stream_, 16 + MAX_WBITS) != Z_OK) throw std::bad_alloc();
  }
  ~GunzipSource() override {
    if (packed_) ::inflateEnd(&stream_);
  }
  GunzipSource(const GunzipSource&) = delete;
  GunzipSource& operator=(const GunzipSource&) = delete;

  std::size_t read(std::span<char> out) override { return packed_ ? unpack(out) : pass_on(out); }

 private:
  static constexpr std::size_t kBlock = std::size_t{1} << 16;

  std::size_t available() const { return end_ - begin_; }

  /// Has at least `wanted` bytes at hand, fewer only at the end of the input.
  void fill(std::size_t wanted) {
    if (available() >= wanted) return;
    std::copy(block_.begin() + static_cast<std::ptrdiff_t>(begin_),
              block_.begin() + static_cast<std::ptrdiff_t>(end_), block_.begin());
    end_ -= begin_;
    begin_ = 0;
    while (available() < wanted) {
      const std::size_t got = raw_->read(std::span(block_).subspan(end_));
      if (got == 0) return;
      end_ += got;
    }
  }

  bool starts_member() const {
    return available() >= 2 && block_[begin_] == '\x1F' && block_[begin_ + 1] == '\x8B';
  }

  std::size_t pass_on(std::span<char> out) {
    if (available() == 0) return raw_->read(out);
    const std::size_t size = std::min(out.size(), available());
    std::copy_n(block_.begin() + static_cast<std::ptrdiff_t>(begin_), size, out.begin());
    begin_ += size;
    return size;
  }

  std::size_t unpack(std::span<char> out) {
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = static_cast<uInt>(out.size());
    while (stream_.avail_out == out.size() && !done_) {
      fill(1);
      if (available() == 0) {
        throw FormatError(name_ + ": the gzip data is cut off, expected its end");
      }
      stream_.next_in = reinterpret_cast<Bytef*>(block_.data() + begin_);
      stream_.avail_in = static_cast<uInt>(available());
      const int result = ::inflate(&stream_, Z_NO_FLUSH);
      begin_ = end_ - stream_.avail_in;
      if (result == Z_STREAM_END) {
        end_member();
      } else if (result != Z_OK) {
        throw FormatError(message(name_, ": the gzip data is corrupt (",
                                  stream_.msg != nullptr ? stream_.msg : ::zError(result),
                                  "), expected a whole .gz file"));
      }
    }
    return out.size() - stream_.avail_out;
  }

  void end_member() {
    fill(2);
    if (starts_member()) {
      ::inflateReset(&stream_);
      return;
    }
    // Zeros after the end are padding (of tapes and block devices), as gzip itself takes them.
    while (available() > 0) {
      if (block_[begin_] != '\0') {
        throw FormatError(name_ + ": other data follows the gzip data, expected its end");
      }
      ++begin_;
      fill(1);
    }
    done_ = true;
  }

  std::unique_ptr<ByteSource> raw_;
  std::string name_;
  std::vector<char> block_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool packed_ = false;
  bool done_ = false;
  z_stream stream_{};
};

}  // namespace

std::unique_ptr<ByteSource> open_bytes(const std::filesystem::path& path) {
  return std::make_unique<GunzipSource>(std::make_unique<FileSource>(path),
                                        path == "-" ? "standard input" : path.string());
}

std::unique_ptr<ByteSource> open_bytes(std::istream& stream, const std::string& name) {
  return std::make_unique<GunzipSource>(std::make_unique<StreamSource>(stream, name), name);
}

}  // namespace padless
