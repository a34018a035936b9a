#include "padless/core/runtime.h"

#include <gtest/gtest.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "padless/core/error.h"

namespace padless {
namespace {

TEST(Runtime, EveryItemIsDoneOnceForAnyNumberOfThreads) {
  for (const std::size_t threads : {1u, 2u, 3u}) {
    Runtime runtime({.threads = threads, .isa = {}});
    for (const std::size_t count : {0u, 1u, 2u, 1000u}) {
      std::vector<std::atomic<int>> done(count);
      runtime.parallel_for(count, [&](std::size_t item, std::size_t worker) {
        ASSERT_LT(worker, threads);
        ++done[item];
      });
      for (const auto& times : done) EXPECT_EQ(times, 1);
    }
  }
}

TEST(Runtime, AWorkerNumberIsNeverUsedTwiceAtOnce) {
  Runtime runtime({.threads = 3, .isa = {}});
  std::vector<std::atomic<int>> inside(3);
  runtime.parallel_for(300, [&](std::size_t, std::size_t worker) {
    EXPECT_EQ(inside[worker].fetch_add(1), 0);
    // A loop inside the loop runs inline and keeps the number.
    runtime.parallel_for(2, [&](std::size_t, std::size_t inner) { EXPECT_EQ(inner, worker); });
    inside[worker].fetch_sub(1);
  });
}

TEST(Runtime, AnotherRuntimeInsideALoopHasWorkersOfItsOwn) {
  Runtime outer({.threads = 3, .isa = {}});
  outer.parallel_for(60, [&](std::size_t) {
    Runtime inner;
    inner.parallel_for(3, [&](std::size_t, std::size_t worker) { EXPECT_EQ(worker, 0u); });
  });
}

TEST(Runtime, AnExceptionComesBackAndTheRuntimeGoesOn) {
  Runtime runtime({.threads = 2, .isa = {}});
  EXPECT_THROW(runtime.parallel_for(100,
                                    [](std::size_t item) {
                                      if (item == 50) throw std::runtime_error("item");
                                    }),
               std::runtime_error);
  std::atomic<int> done = 0;
  runtime.parallel_for(100, [&](std::size_t) { ++done; });
  EXPECT_EQ(done, 100);
}

TEST(Runtime, SeveralThreadsWithOneRuntimeEach) {
  std::atomic<int> done = 0;
  std::vector<std::thread> callers;
  callers.reserve(3);
  for (int caller = 0; caller < 3; ++caller) {
    callers.emplace_back([&done] {
      Runtime runtime({.threads = 2, .isa = {}});
      for (int loop = 0; loop < 50; ++loop) {
        runtime.parallel_for(10, [&done](std::size_t) { ++done; });
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(done, 3 * 50 * 10);
}

#if defined(__x86_64__)
TEST(Runtime, TasksRunInThePlainFloatEnvironmentAndTheCallersReturns) {
  for (const std::size_t threads : {1u, 2u}) {
    const unsigned before = _mm_getcsr();
    _mm_setcsr(before | 0x8040);  // flush to zero, denormals are zero: before the threads are made
    Runtime runtime({.threads = threads, .isa = {}});
    std::vector<unsigned> seen(64);
    runtime.parallel_for(64, [&](std::size_t item) { seen[item] = _mm_getcsr() & ~0x3fu; });
    EXPECT_EQ(_mm_getcsr() & 0x8040u, 0x8040u);
    _mm_setcsr(before);
    for (const unsigned state : seen) EXPECT_EQ(state, 0x1f80u);
  }
}
#endif

}  // namespace
}  // namespace padless
