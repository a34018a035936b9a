#include "padless/cli/descriptor_input.h"

#include "padless/cli/stop.h"
#include "padless/io/file_descriptor.h"

namespace padless::cli {

DescriptorInput::Buffer::int_type DescriptorInput::Buffer::underflow() {
  if (!StopRequest::wait_to_read(descriptor_)) {
    throw Interrupted(name_ + ": interrupted while it is read");
  }
  const std::size_t got = read_some(descriptor_, block_.data(), block_.size(), name_);
  setg(block_.data(), block_.data(), block_.data() + got);
  return got == 0 ? traits_type::eof() : traits_type::to_int_type(block_.front());
}

}  // namespace padless::cli
