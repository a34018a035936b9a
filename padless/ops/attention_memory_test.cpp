// How much memory attention over a long sequence takes: linear in its rows, or it would be
// gigabytes.
#include <gtest/gtest.h>

#include <cstddef>
#include <fstream>
#include <vector>

#include "padless/core/rng.h"
#include "padless/ops/attention.h"

#include <unistd.h>

namespace padless {
namespace {

/// Resident memory of this process in megabytes.
double resident() {
  std::size_t total = 0, pages = 0;
  std::ifstream("/proc/self/statm") >> total >> pages;
  return static_cast<double>(pages) * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
}

TEST(AttentionMemory, OfALongSequenceIsLinearInItsRows) {
  constexpr std::size_t kRows = 8192, kHeads = 12, kWidth = 64;
  const Segments segs = Segments::from_lengths(std::vector<std::size_t>{kRows});
  Rng rng(1);
  const Matrix<float> q = rng.normal(kRows, kHeads * kWidth, 1),
                      k = rng.normal(kRows, kHeads * kWidth, 1),
                      v = rng.normal(kRows, kHeads * kWidth, 1),
                      d_out = rng.normal(kRows, kHeads * kWidth, 1);
  Runtime runtime({.threads = 2});
  const AttentionOptions options{.heads = kHeads};
  const double before = resident();
  Matrix<float> out(kRows, kHeads * kWidth), top(kRows, kHeads), sum(kRows, kHeads);
  const AttentionStats stats{top.view(), sum.view()};
  attention_forward(runtime, {}, options, q.view(), segs, k.view(), v.view(), segs, out.view(),
                    stats);
  const double forward = resident() - before;
  Matrix<float> d_q(kRows, kHeads * kWidth), d_k = d_q, d_v = d_q;
  attention_backward(runtime, {}, options, d_out.view(), q.view(), segs, k.view(), v.view(), segs,
                     out.view(), stats, {d_q.view(), d_k.view(), d_v.view()});
  const double both = resident() - before;
  RecordProperty("forward_megabytes", static_cast<int>(forward));
  RecordProperty("both_megabytes", static_cast<int>(both));
  // One matrix of queries by keys and heads would be 3,221 MB.
  EXPECT_LT(forward, 100) << "megabytes, forward";
  EXPECT_LT(both, 200) << "megabytes, forward and backward";
}

}  // namespace
}  // namespace padless
