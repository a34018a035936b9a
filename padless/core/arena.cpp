#include "padless/core/arena.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>

namespace padless {
namespace {

constexpr std::size_t kFirstBlock = std::size_t{1} << 20;

std::size_t round_up(std::size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace

void* Arena::take_bytes(std::size_t count, std::size_t size) {
  constexpr std::size_t kMost = std::numeric_limits<std::ptrdiff_t>::max() - kAlignment;
  if (count > kMost / size) throw std::bad_array_new_length();
  const std::size_t bytes = round_up(count * size);
  while (at_.block < blocks_.size() && blocks_[at_.block].size - at_.used < bytes) {
    at_ = {at_.block + 1, 0};
  }
  if (at_.block == blocks_.size()) {
    // Doubling keeps the number of blocks, and so the memory lost at their ends, small.
    const std::size_t grown = blocks_.empty() ? kFirstBlock : 2 * blocks_.back().size;
    const std::size_t block = std::max(bytes, grown);
    auto* raw = new (std::align_val_t{kAlignment}) std::byte[block];
    blocks_.push_back({std::unique_ptr<std::byte[], Free>(raw), block});
  }
  std::byte* taken = blocks_[at_.block].bytes.get() + at_.used;
  at_.used += bytes;
#ifndef NDEBUG
  std::memset(taken, 0xff, bytes);
#endif
  return taken;
}

}  // namespace padless
