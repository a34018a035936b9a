// Counts calls of operator new in this program. Include it from one file of a test only: it
// replaces the global operators.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace padless::testing {

using AllocationCount = std::size_t;

inline std::atomic<AllocationCount>& allocation_counter() {
  static std::atomic<AllocationCount> counter{0};
  return counter;
}

/// How many allocations this program has made so far.
inline AllocationCount allocation_count() { return allocation_counter().load(); }

inline void* counted_allocation(std::size_t bytes, std::size_t alignment) {
  ++allocation_counter();
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

/// Not inlined: g++ would see free() beside another's operator new, and think that they do not
/// match.
[[gnu::noinline]] inline void free_counted(void* memory) { std::free(memory); }

}  // namespace padless::testing

// The other forms of new and delete end in these.
void* operator new(std::size_t bytes) {
  return padless::testing::counted_allocation(bytes, alignof(std::max_align_t));
}
void* operator new[](std::size_t bytes) {
  return padless::testing::counted_allocation(bytes, alignof(std::max_align_t));
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return padless::testing::counted_allocation(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return padless::testing::counted_allocation(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { padless::testing::free_counted(memory); }
void operator delete[](void* memory) noexcept { padless::testing::free_counted(memory); }
void operator delete(void* memory, std::size_t) noexcept { padless::testing::free_counted(memory); }
void operator delete[](void* memory, std::size_t) noexcept {
  padless::testing::free_counted(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  padless::testing::free_counted(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
  padless::testing::free_counted(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  padless::testing::free_counted(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
  padless::testing::free_counted(memory);
}
