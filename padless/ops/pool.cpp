#include "padless/ops/pool.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <string_view>

#include "padless/kernels/dispatch.h"
#include "padless/ops/checks.h"

namespace padless {
namespace {

/// What the sum of n rows is divided by.
float divisor(PoolKind kind, std::size_t n) {
  if (kind == PoolKind::mean) return static_cast<float>(n);
  return kind == PoolKind::sqrt_mean ? std::sqrt(static_cast<float>(n)) : 1.0f;
}

}  // namespace

std::size_t pool_forward(Runtime& runtime, const Pass& /*pass*/, PoolKind kind,
                         MatrixView<const float> x, const Segments& segs, MatrixView<float> out) {
  constexpr std::string_view kOp = "pool_forward";
  require_matrix(kOp, "x", x, segs.total(), x.cols());
  require_matrix(kOp, "out", out, segs.count(), x.cols());
  const kernels::Table& table = kernels::table(runtime.isa());
  std::atomic<std::size_t> empty = 0;
  runtime.parallel_for(segs.count(), [&](std::size_t b) {
    const Segments::Rows rows = segs[b];
    if (rows.empty()) {
      std::ranges::fill(out.row(b), 0.0f);
      empty.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    const float* from = x.row(rows.begin).data();
    switch (kind) {
      case PoolKind::sum:
      case PoolKind::mean:
      case PoolKind::sqrt_mean:
        table.pool_sum_forward(from, x.stride(), rows.size(), x.cols(), divisor(kind, rows.size()),
                               out.row(b).data());
        break;
      case PoolKind::max:
        table.pool_max_forward(from, x.stride(), rows.size(), x.cols(), out.row(b).data());
        break;
      case PoolKind::log_sum_exp:
        table.pool_log_sum_exp_forward(from, x.stride(), rows.size(), x.cols(), out.row(b).data());
        break;
      case PoolKind::first:
        std::ranges::copy(x.row(rows.begin), out.row(b).begin());
        break;
      case PoolKind::last:
        std::ranges::copy(x.row(rows.end - 1), out.row(b).begin());
        break;
    }
  });
  return empty;
}

void pool_backward(Runtime& runtime, const Pass& /*pass*/, PoolKind kind,
                   MatrixView<const float> d_out, MatrixView<const float> x, const Segments& segs,
                   MatrixView<float> d_x) {
  constexpr std::string_view kOp = "pool_backward";
  require_matrix(kOp, "d_out", d_out, segs.count(), x.cols());
  require_matrix(kOp, "x", x, segs.total(), x.cols());
  require_matrix(kOp, "d_x", d_x, segs.total(), x.cols());
  const kernels::Table& table = kernels::table(runtime.isa());
  runtime.parallel_for(segs.count(), [&](std::size_t b) {
    const Segments::Rows rows = segs[b];
    if (rows.empty()) return;
    float* to = d_x.row(rows.begin).data();
    switch (kind) {
      case PoolKind::sum:
      case PoolKind::mean:
      case PoolKind::sqrt_mean:
        table.pool_sum_backward(d_out.row(b).data(), rows.size(), x.cols(),
                                divisor(kind, rows.size()), to, d_x.stride());
        break;
      case PoolKind::max:
        table.pool_max_backward(d_out.row(b).data(), x.row(rows.begin).data(), x.stride(),
                                rows.size(), x.cols(), to, d_x.stride());
        break;
      case PoolKind::log_sum_exp:
        table.pool_log_sum_exp_backward(d_out.row(b).data(), x.row(rows.begin).data(), x.stride(),
                                        rows.size(), x.cols(), to, d_x.stride());
        break;
      case PoolKind::first:
      case PoolKind::last:
        fill(d_x.rows_at(rows.begin, rows.size()), 0.0f);
        std::ranges::copy(d_out.row(b),
                          d_x.row(kind == PoolKind::first ? rows.begin : rows.end - 1).begin());
        break;
    }
  });
}

}  // namespace padless
