// Standard input for commands that are asked to stop while they wait for it.
#pragma once

#include <array>
#include <istream>
#include <streambuf>
#include <string>

namespace padless::cli {

/// Reads from a descriptor, which is not closed. Reading throws Interrupted where a StopRequest
/// lives and is asked meanwhile, also while nothing comes; IoError, which begins with `name`, where
/// the system refuses. The file buffers of the C++ library go on waiting, and name nothing.
class DescriptorInput {
 public:
  DescriptorInput(int descriptor, std::string name)
      : buffer_(descriptor, std::move(name)), stream_(&buffer_) {
    stream_.exceptions(std::ios::badbit);  // lets the buffer's own exceptions through
  }

  std::istream& stream() { return stream_; }

 private:
  class Buffer : public std::streambuf {
   public:
    Buffer(int descriptor, std::string name) : descriptor_(descriptor), name_(std::move(name)) {}

   protected:
    int_type underflow() override;

   private:
    int descriptor_;
    std::string name_;
    std::array<char, 1 << 16> block_;
  };

  Buffer buffer_;
  std::istream stream_;
};

}  // namespace padless::cli
