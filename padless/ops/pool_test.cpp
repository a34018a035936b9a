#include "padless/ops/pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "padless/batch/pack.h"
#include "padless/core/error.h"
#include "padless/reference/pool.h"
#include "padless/testing/bits.h"
#include "padless/testing/contract.h"

namespace padless {
namespace {

using testing::Axis;
using testing::Operands;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// The reference of every kind.
template <class Real>
void pool_in_reference(PoolKind kind, const Segments& segs, const Operands<Real>& o) {
  const auto divisor = [kind](std::size_t n) {
    const Real count(static_cast<float>(n));
    if (kind == PoolKind::mean) return count;
    return kind == PoolKind::sqrt_mean ? reference::math::sqrt(count) : Real(1);
  };
  switch (kind) {
    case PoolKind::sum:
    case PoolKind::mean:
    case PoolKind::sqrt_mean:
      reference::pool_sum_forward<Real>(o.inputs[0], segs, divisor, o.outputs[0]);
      reference::pool_sum_backward<Real>(o.d_outputs[0], segs, divisor, o.d_inputs[0]);
      return;
    case PoolKind::max:
      reference::pool_max_forward<Real>(o.inputs[0], segs, o.outputs[0]);
      reference::pool_max_backward<Real>(o.d_outputs[0], o.inputs[0], segs, o.d_inputs[0]);
      return;
    case PoolKind::log_sum_exp:
      reference::pool_log_sum_exp_forward<Real>(o.inputs[0], segs, o.outputs[0]);
      reference::pool_log_sum_exp_backward<Real>(o.d_outputs[0], o.inputs[0], segs, o.d_inputs[0]);
      return;
    case PoolKind::first:
    case PoolKind::last:
      fill(o.outputs[0], Real(0));
      fill(o.d_inputs[0], Real(0));
      for (std::size_t b = 0; b < segs.count(); ++b) {
        if (segs[b].empty()) continue;
        const std::size_t row = kind == PoolKind::first ? segs[b].begin : segs[b].end - 1;
        std::ranges::copy(o.inputs[0].row(row), o.outputs[0].row(b).begin());
        std::ranges::copy(o.d_outputs[0].row(b), o.d_inputs[0].row(row).begin());
      }
      return;
  }
}

testing::Subject pool(PoolKind kind, std::size_t width) {
  testing::Subject subject{.name = "pool",
                           .inputs = {{.name = "x", .cols = width}},
                           .outputs = {{.name = "out", .axis = Axis::sequences, .cols = width}},
                           .run = [kind](Runtime& runtime, const Pass& pass, const Segments& segs,
                                         const Operands<float>& o) {
                             pool_forward(runtime, pass, kind, o.inputs[0], segs, o.outputs[0]);
                             pool_backward(runtime, pass, kind, o.d_outputs[0], o.inputs[0], segs,
                                           o.d_inputs[0]);
                           }};
  subject.set_reference(
      [kind]<class Real>(const Pass&, const Segments& segs, const Operands<Real>& o) {
        pool_in_reference(kind, segs, o);
      });
  return subject;
}

constexpr PoolKind kKinds[] = {PoolKind::sum,   PoolKind::mean, PoolKind::sqrt_mean,  PoolKind::max,
                               PoolKind::first, PoolKind::last, PoolKind::log_sum_exp};

TEST(Pool, KeepsTheContract) {
  for (const PoolKind kind : kKinds) {
    SCOPED_TRACE(static_cast<int>(kind));
    for (const std::size_t width : {19u, 1u, 40u}) expect_contract(pool(kind, width));
  }
}

struct Pooled {
  std::vector<float> out, d_x;
  std::size_t empty;
};

/// Pools rows of width 2 and sends ones (10 for the second column) back.
Pooled run(Runtime& runtime, PoolKind kind, const std::vector<float>& x,
           const std::vector<std::size_t>& lengths) {
  const Segments segs = Segments::from_lengths(lengths);
  Pooled pooled{.out = std::vector<float>(2 * segs.count(), kNaN),
                .d_x = std::vector<float>(x.size(), kNaN)};
  std::vector<float> d_out;
  for (std::size_t b = 0; b < segs.count(); ++b) d_out.insert(d_out.end(), {1, 10});
  const MatrixView<const float> rows(x.data(), segs.total(), 2);
  pooled.empty = pool_forward(runtime, {}, kind, rows, segs, {pooled.out.data(), segs.count(), 2});
  pool_backward(runtime, {}, kind, {d_out.data(), segs.count(), 2}, rows, segs,
                {pooled.d_x.data(), segs.total(), 2});
  return pooled;
}

// Two rows that are negative: padding with zeros would win the maximum and water down the mean.
TEST(Pool, GivesWhatTheWordsSay) {
  const std::vector<float> x = {-1, -2, -3, -0.5f};
  testing::for_each_runtime([&](Runtime& runtime) {
    const auto of = [&](PoolKind kind) { return run(runtime, kind, x, {2}).out; };
    EXPECT_EQ(of(PoolKind::sum), (std::vector<float>{-4, -2.5f}));
    EXPECT_EQ(of(PoolKind::mean), (std::vector<float>{-2, -1.25f}));
    EXPECT_EQ(of(PoolKind::max), (std::vector<float>{-1, -0.5f}));
    EXPECT_EQ(of(PoolKind::first), (std::vector<float>{-1, -2}));
    EXPECT_EQ(of(PoolKind::last), (std::vector<float>{-3, -0.5f}));
    const auto sqrt_mean = of(PoolKind::sqrt_mean);
    EXPECT_FLOAT_EQ(sqrt_mean[0], -2.828427124746f);
    EXPECT_FLOAT_EQ(sqrt_mean[1], -1.767766952966f);
  });
}

// Two rows in four slots: neither the side of the pads nor what lies in them reaches a result.
TEST(Pool, DoesNotSeeThePaddingThatABatchCameIn) {
  const std::vector<float> x = {-1, -2, -3, -0.5f};
  const Segments segs = Segments::from_lengths(std::vector<std::size_t>{2});
  Runtime runtime;
  for (const auto side : {Packing::PadSide::left, Packing::PadSide::right}) {
    for (const float pad : {0.0f, 9.0f, kNaN}) {
      const Packing packing(segs, 4, side);
      std::vector<float> padded(8), rows(4);
      unpack({x.data(), 2, 2}, packing, pad, {padded.data(), 4, 2});
      pack({padded.data(), 4, 2}, packing, {rows.data(), 2, 2});
      for (const PoolKind kind : kKinds) {
        testing::expect_same_bits(run(runtime, kind, rows, {2}).out,
                                  run(runtime, kind, x, {2}).out);
      }
    }
  }
}

TEST(Pool, SendsTheGradientBackToWhereTheNumbersCameFrom) {
  const std::vector<float> x = {-1, -2, -3, -0.5f};
  testing::for_each_runtime([&](Runtime& runtime) {
    const auto of = [&](PoolKind kind) { return run(runtime, kind, x, {2}).d_x; };
    EXPECT_EQ(of(PoolKind::sum), (std::vector<float>{1, 10, 1, 10}));
    EXPECT_EQ(of(PoolKind::mean), (std::vector<float>{0.5f, 5, 0.5f, 5}));
    EXPECT_EQ(of(PoolKind::max), (std::vector<float>{1, 0, 0, 10}));
    EXPECT_EQ(of(PoolKind::first), (std::vector<float>{1, 10, 0, 0}));
    EXPECT_EQ(of(PoolKind::last), (std::vector<float>{0, 0, 1, 10}));
  });
}

TEST(Pool, GivesAZeroRowForASequenceWithoutRowsAndCountsIt) {
  const std::vector<float> x = {-1, -2};
  testing::for_each_runtime([&](Runtime& runtime) {
    for (const PoolKind kind : kKinds) {
      const Pooled pooled = run(runtime, kind, x, {0, 1, 0, 0});
      EXPECT_EQ(pooled.empty, 3u);
      testing::expect_same_bits(pooled.out, std::vector<float>{0, 0, -1, -2, 0, 0, 0, 0});
      EXPECT_EQ(pooled.d_x, (std::vector<float>{1, 10}));
    }
  });
}

TEST(Pool, TheFirstOfEqualMaximaTakesTheGradient) {
  // -0 and +0 are equal: the first, and its sign.
  const std::vector<float> x = {-7, -0.0f, 3, 0.0f, 3, 0.0f};
  testing::for_each_runtime([&](Runtime& runtime) {
    const Pooled pooled = run(runtime, PoolKind::max, x, {3});
    testing::expect_same_bits(pooled.out, std::vector<float>{3, -0.0f});
    testing::expect_same_bits(pooled.d_x, std::vector<float>{0, 10, 1, 0, 0, 0});
  });
}

TEST(Pool, ANaNIsTheMaximumWhereverItStands) {
  testing::for_each_runtime([&](Runtime& runtime) {
    const Pooled pooled =
        run(runtime, PoolKind::max, {1, kNaN, kNaN, kInfinity, kInfinity, kNaN}, {3});
    testing::expect_same_bits(pooled.out, std::vector<float>{kNaN, kNaN});
    testing::expect_same_bits(pooled.d_x, std::vector<float>{0, 10, 1, 0, 0, 0});
    const Pooled lowest = run(runtime, PoolKind::max, {-kInfinity, 1, -kInfinity, 2}, {2});
    testing::expect_same_bits(lowest.out, std::vector<float>{-kInfinity, 2});
    testing::expect_same_bits(lowest.d_x, std::vector<float>{1, 0, 0, 10});
  });
}

// exp(-1) + exp(-3) and exp(-2) + exp(-0.5), by mpmath.
TEST(Pool, LogSumExpIsTheSoftMaximumAndItsGradientTheSoftmax) {
  testing::for_each_runtime([](Runtime& runtime) {
    const Pooled pooled = run(runtime, PoolKind::log_sum_exp, {-1, -2, -3, -0.5f}, {2});
    EXPECT_FLOAT_EQ(pooled.out[0], -0.873071988956);
    EXPECT_FLOAT_EQ(pooled.out[1], -0.298586722478);
    EXPECT_FLOAT_EQ(pooled.d_x[0], 0.880797077978);
    EXPECT_FLOAT_EQ(pooled.d_x[1], 1.82425523806);
    EXPECT_FLOAT_EQ(pooled.d_x[2], 0.119202922022);
    EXPECT_FLOAT_EQ(pooled.d_x[3], 8.17574476194);
  });
}

// Far from 0 a float has steps of 1/128: the shift must go before the exponential, and the
// gradient must not pass through the rounded result.
TEST(Pool, LogSumExpKeepsItsWeightsFarFromZero) {
  testing::for_each_runtime([](Runtime& runtime) {
    const Pooled pooled =
        run(runtime, PoolKind::log_sum_exp, {-120000, 120000, -120001, 119999}, {2});
    EXPECT_FLOAT_EQ(pooled.d_x[0], 0.731058578630);
    EXPECT_FLOAT_EQ(pooled.d_x[1], 7.31058578630);
    EXPECT_FLOAT_EQ(pooled.d_x[2], 0.268941421370);
    EXPECT_FLOAT_EQ(pooled.d_x[3], 2.68941421370);
  });
}

TEST(Pool, LogSumExpOfInfinitiesIsTheirLimit) {
  testing::for_each_runtime([](Runtime& runtime) {
    const auto of = [&](const std::vector<float>& x) {
      return run(runtime, PoolKind::log_sum_exp, x, {2}).out;
    };
    EXPECT_EQ(of({-kInfinity, kInfinity, -kInfinity, 1}),
              (std::vector<float>{-kInfinity, kInfinity}));
    // One term that is nothing: the other stands alone.
    EXPECT_EQ(of({-kInfinity, 2, 3, -kInfinity}), (std::vector<float>{3, 2}));
    testing::expect_same_bits(of({kNaN, 1, 1, kNaN}), std::vector<float>{kNaN, kNaN});
  });
}

TEST(Pool, RefusesShapesThatDoNotFit) {
  Runtime runtime;
  std::vector<float> cells(12);
  const Segments segs = Segments::from_lengths(std::vector<std::size_t>{2, 1});
  const MatrixView<const float> x(cells.data(), 3, 2);
  EXPECT_THROW(pool_forward(runtime, {}, PoolKind::mean, x, segs, {cells.data() + 6, 3, 2}),
               ShapeError);
  EXPECT_THROW(pool_backward(runtime, {}, PoolKind::max, {cells.data(), 2, 2}, x.rows_at(0, 2),
                             segs, {cells.data() + 6, 3, 2}),
               ShapeError);
}

}  // namespace
}  // namespace padless
