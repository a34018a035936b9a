#include "padless/core/arena.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <new>

#include "padless/testing/count_allocations.h"

namespace padless {
namespace {

TEST(Arena, SlicesAreAlignedAndApart) {
  Arena arena;
  const auto a = arena.take<float>(3);
  const auto b = arena.take<std::uint8_t>(1);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a.data()) % kAlignment, 0u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(b.data()) % kAlignment, 0u);
  EXPECT_GE(reinterpret_cast<const std::byte*>(b.data()),
            reinterpret_cast<const std::byte*>(a.data() + 3));
}

TEST(Arena, SlicesStayWhileItGrows) {
  Arena arena;
  const auto first = arena.take<int>(4);
  first[3] = 7;
  const auto large = arena.take<int>(std::size_t{1} << 22);
  large.back() = 8;
  EXPECT_EQ(first[3], 7);
}

TEST(Arena, AScopeGivesBackWhatWasTakenInIt) {
  Arena arena;
  arena.take<float>(1);
  float* inner = nullptr;
  {
    const Arena::Scope scope(arena);
    inner = arena.take<float>(10).data();
  }
  EXPECT_EQ(arena.take<float>(10).data(), inner);
}

TEST(Arena, TheSecondRoundOfTheSameSizesAllocatesNothing) {
  Arena arena;
  const auto round = [&arena] {
    const Arena::Scope scope(arena);
    for (const std::size_t count : {100u, 3'000'000u, 5u, 700'000u}) arena.take<float>(count);
  };
  round();
  const testing::AllocationCount before = testing::allocation_count();
  round();
  EXPECT_EQ(testing::allocation_count(), before);
}

TEST(Arena, RefusesMoreThanAddressesGo) {
  Arena arena;
  EXPECT_THROW(arena.take<double>(std::numeric_limits<std::size_t>::max() / 4), std::bad_alloc);
}

}  // namespace
}  // namespace padless
