// What is const is shared between threads.
#pragma once

#include <cstddef>
#include <latch>
#include <span>
#include <thread>
#include <vector>

#include "padless/core/matrix.h"
#include "padless/core/runtime.h"
#include "padless/testing/bits.h"

namespace padless::testing {

/// Calls call(runtime, caller), which gives numbers, on several threads at once, each with a
/// Runtime and a number of its own, and expects of each the bits that one thread alone gets
/// afterwards. The first calls find whatever is made once, as packed weights are, not made yet.
template <class Call>
void expect_same_on_threads(Call call) {
  constexpr std::ptrdiff_t kCallers = 4;
  std::vector<std::vector<std::vector<float>>> found(kCallers);  // of each round
  std::latch ready(kCallers);
  std::vector<std::thread> callers;
  callers.reserve(found.size());
  for (std::size_t caller = 0; caller < found.size(); ++caller) {
    callers.emplace_back([&call, &ready, &rounds = found[caller], caller] {
      Runtime runtime({.threads = 2, .isa = {}});
      ready.arrive_and_wait();
      for (int round = 0; round < 100; ++round) rounds.push_back(call(runtime, caller));
    });
  }
  for (std::thread& caller : callers) caller.join();
  Runtime runtime;
  for (std::size_t caller = 0; caller < found.size(); ++caller) {
    const std::vector<float> expected = call(runtime, caller);
    EXPECT_FALSE(expected.empty());
    for (const std::vector<float>& numbers : found[caller]) expect_same_bits(numbers, expected);
  }
}

/// The numbers of a matrix.
inline std::vector<float> numbers_of(const Matrix<float>& matrix) {
  const std::span<const float> cells = matrix.cells();
  return {cells.begin(), cells.end()};
}

}  // namespace padless::testing
