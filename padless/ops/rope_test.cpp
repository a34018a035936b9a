#include "padless/ops/rope.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "padless/core/rng.h"
#include "padless/reference/rope.h"
#include "padless/testing/bits.h"
#include "padless/testing/contract.h"
#include "padless/testing/refusal.h"

namespace padless {
namespace {

using testing::Operands;
using testing::refusal;

testing::Subject rope(std::size_t heads, std::size_t head_width, std::size_t width,
                      RotaryPairing pairing) {
  constexpr double kBase = 100;
  const std::size_t cols = heads * head_width;
  testing::Subject subject{
      .name = "rope",
      .inputs = {{.name = "x", .cols = cols}},
      .outputs = {{.name = "y", .cols = cols}},
      .run = [=](Runtime& runtime, const Pass& pass, const Segments& segs,
                 const Operands<float>& o) {
        const RotaryTable table(segs.longest(), width, pairing, kBase);
        rope_forward(runtime, pass, table, heads, o.inputs[0], segs, {}, o.outputs[0]);
        rope_backward(runtime, pass, table, heads, o.d_outputs[0], segs, {}, o.d_inputs[0]);
      }};
  subject.set_reference([=]<class Real>(const Pass&, const Segments& segs,
                                        const Operands<Real>& o) {
    reference::rope<Real>(o.inputs[0], segs, {}, heads, width, pairing, kBase, false, o.outputs[0]);
    reference::rope<Real>(o.d_outputs[0], segs, {}, heads, width, pairing, kBase, true,
                          o.d_inputs[0]);
  });
  return subject;
}

TEST(Rope, KeepsTheContract) {
  for (const auto pairing : {RotaryPairing::interleaved, RotaryPairing::halves}) {
    expect_contract(rope(3, 7, 6, pairing));
    expect_contract(rope(1, 2, 2, pairing));
    expect_contract(rope(2, 40, 38, pairing));
  }
}

std::vector<float> turn(Runtime& runtime, RotaryPairing pairing, const std::vector<float>& x,
                        std::size_t position) {
  const std::size_t first[] = {position};
  const Segments one = Segments::from_lengths(std::vector<std::size_t>{1});
  const RotaryTable table(position + 1, x.size(), pairing);
  std::vector<float> y(x.size());
  rope_forward(runtime, {}, table, 1, {x.data(), 1, x.size()}, one, first, {y.data(), 1, y.size()});
  return y;
}

// Width 4: the pairs turn by 3 and by 3 / 100.
TEST(Rope, TurnsThePairsOfItsConvention) {
  const double c0 = std::cos(3.0), s0 = std::sin(3.0), c1 = std::cos(0.03), s1 = std::sin(0.03);
  testing::for_each_runtime([&](Runtime& runtime) {
    const auto near = [](const std::vector<float>& found, const std::vector<double>& expected) {
      for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(found[i], expected[i], 1e-6) << i;
    };
    near(turn(runtime, RotaryPairing::interleaved, {1, 2, 3, 4}, 3),
         {c0 - 2 * s0, 2 * c0 + s0, 3 * c1 - 4 * s1, 4 * c1 + 3 * s1});
    near(turn(runtime, RotaryPairing::halves, {1, 2, 3, 4}, 3),
         {c0 - 3 * s0, 2 * c1 - 4 * s1, 3 * c0 + s0, 4 * c1 + 2 * s1});
    testing::expect_same_bits(turn(runtime, RotaryPairing::halves, {1, 2, 3, 4}, 0),
                              std::vector<float>{1, 2, 3, 4});
  });
}

TEST(Rope, AProductKnowsTheDistanceAlone) {
  Runtime runtime;
  const std::vector<float> q = {1, -2, 0.5f, 3}, k = {2, 1, -1, 0.25f};
  const auto product = [&](std::size_t at_q, std::size_t at_k) {
    const auto a = turn(runtime, RotaryPairing::interleaved, q, at_q);
    const auto b = turn(runtime, RotaryPairing::interleaved, k, at_k);
    double sum = 0;
    for (std::size_t i = 0; i < 4; ++i) sum += double{a[i]} * b[i];
    return sum;
  };
  EXPECT_NEAR(product(7, 2), product(1007, 1002), 1e-5);
  EXPECT_GT(std::fabs(product(7, 2) - product(7, 3)), 0.1);
}

// A row that comes later, as from a key/value cache, has the bits it has in one pass.
TEST(Rope, ALaterRowAloneHasTheBitsOfOnePass) {
  const Segments whole = Segments::from_lengths(std::vector<std::size_t>{3, 9});
  const Segments rest = Segments::from_lengths(std::vector<std::size_t>{1, 4});
  const std::size_t first[] = {2, 5};
  const Matrix<float> x = Rng(1).normal(12, 20, 1);
  testing::for_each_runtime([&](Runtime& runtime) {
    for (const auto pairing : {RotaryPairing::interleaved, RotaryPairing::halves}) {
      const RotaryTable table(9, 8, pairing);
      Matrix<float> all(12, 20), chosen(5, 20);
      rope_forward(runtime, {}, table, 2, x.view(), whole, {}, all.view());
      const std::size_t rows[] = {2, 8, 9, 10, 11};
      for (std::size_t i = 0; i < 5; ++i) {
        std::ranges::copy(x.row(rows[i]), chosen.row(i).begin());
      }
      rope_forward(runtime, {}, table, 2, chosen.view(), rest, first, chosen.view());  // in place
      for (std::size_t i = 0; i < 5; ++i) {
        testing::expect_same_bits(chosen.row(i), all.row(rows[i]));
      }
    }
  });
}

TEST(Rope, RefusesWhatDoesNotFit) {
  Runtime runtime;
  std::vector<float> cells(64);
  const Segments segs = Segments::from_lengths(std::vector<std::size_t>{1, 3});
  const RotaryTable table(4, 4, RotaryPairing::halves);
  const auto forward = [&](std::size_t heads, std::size_t cols, std::vector<std::size_t> first) {
    return refusal([&] {
      const MatrixView<float> x(cells.data(), 4, cols);
      rope_forward(runtime, {}, table, heads, x, segs, first, x);
    });
  };
  EXPECT_EQ(forward(2, 8, {0, 2}),
            "rope_forward: sequence 1 has 3 rows from position 2 on, expected them in [0, 4) (what "
            "the table holds); cut it, or make a longer table");
  EXPECT_EQ(forward(2, 8, {0}), "rope_forward: first has 1 elements, expected 2, or none");
  EXPECT_EQ(forward(0, 8, {}), "rope_forward: heads is 0, expected at least 1");
  EXPECT_EQ(forward(3, 8, {}),
            "rope_forward: x has 8 columns for 3 heads, expected a multiple of 3 with at least 4 "
            "columns a head");
  EXPECT_EQ(forward(4, 8, {}),
            "rope_forward: x has 8 columns for 4 heads, expected a multiple of 4 with at least 4 "
            "columns a head");
  EXPECT_EQ(forward(2, 8, {0, 1}), "nothing was thrown");
  EXPECT_EQ(refusal([] { RotaryTable(4, 3, RotaryPairing::halves); }),
            "RotaryTable: width is 3, expected an even number above 0");
  EXPECT_EQ(refusal([] { RotaryTable(4, 4, RotaryPairing::halves, 0); }),
            "RotaryTable: base is 0, expected a finite number above 0");
}

}  // namespace
}  // namespace padless
