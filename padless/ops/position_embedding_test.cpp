#include "padless/ops/position_embedding.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "padless/batch/pack.h"
#include "padless/core/error.h"
#include "padless/reference/position_embedding.h"
#include "padless/testing/bits.h"
#include "padless/testing/contract.h"
#include "padless/testing/refusal.h"

namespace padless {
namespace {

using testing::Axis;
using testing::Operands;

testing::Subject position_embedding(std::size_t width) {
  testing::Subject subject{
      .name = "position_embedding",
      .inputs = {{.name = "x", .cols = width}},
      .parameters = {{.name = "table", .axis = Axis::fixed, .cols = width, .fixed_rows = 70}},
      .outputs = {{.name = "y", .cols = width}},
      .run = [](Runtime& runtime, const Pass& pass, const Segments& segs,
                const Operands<float>& o) {
        position_embedding_forward(runtime, pass, o.parameters[0], segs, {}, o.inputs[0],
                                   o.outputs[0]);
        position_embedding_backward(runtime, pass, segs, {}, o.d_outputs[0], o.d_parameters[0]);
        for (std::size_t t = 0; t < segs.total(); ++t) {
          std::ranges::copy(o.d_outputs[0].row(t), o.d_inputs[0].row(t).begin());
        }
      }};
  subject.set_reference(
      []<class Real>(const Pass& pass, const Segments& segs, const Operands<Real>& o) {
        const Shards shards = pass.shards != nullptr ? *pass.shards : Shards(segs.total());
        reference::position_embedding_forward<Real>(o.parameters[0], segs, {}, o.inputs[0],
                                                    o.outputs[0]);
        reference::position_embedding_backward<Real>(segs, {}, o.d_outputs[0], shards,
                                                     o.d_parameters[0]);
        for (std::size_t t = 0; t < segs.total(); ++t) {
          std::ranges::copy(o.d_outputs[0].row(t), o.d_inputs[0].row(t).begin());
        }
      });
  return subject;
}

TEST(PositionEmbedding, KeepsTheContract) {
  for (const std::size_t width : {19u, 1u}) expect_contract(position_embedding(width));
}

TEST(PositionEmbedding, CountsFromEachSequencesFirstPosition) {
  const std::vector<float> table = {10, 20, 30, 40};
  const Segments segs = Segments::from_lengths(std::vector<std::size_t>{2, 0, 1});
  const std::size_t first[] = {1, 9, 3};
  testing::for_each_runtime([&](Runtime& runtime) {
    std::vector<float> x = {1, 2, 3};
    const MatrixView<float> rows(x.data(), 3, 1);
    position_embedding_forward(runtime, {}, {table.data(), 4, 1}, segs, first, rows, rows);
    EXPECT_EQ(x, (std::vector<float>{21, 32, 43}));
    // The rows of absent positions stay as they are: adding 0 would turn -0 into +0.
    std::vector<float> d_table = {-0.0f, 1, 1, 1};
    position_embedding_backward(runtime, {}, segs, first, rows, {d_table.data(), 4, 1});
    testing::expect_same_bits(d_table, std::vector<float>{-0.0f, 22, 33, 44});
  });
}

// Two tokens in four slots: neither the side of the pads nor what lies in them moves a position.
TEST(PositionEmbedding, DoesNotCountThePadsOfTheBatchThatTokensCameIn) {
  const std::vector<float> x = {1, 2}, table = {10, 20, 30, 40};
  const Segments segs = Segments::from_lengths(std::vector<std::size_t>{2});
  Runtime runtime;
  for (const auto side : {Packing::PadSide::left, Packing::PadSide::right}) {
    const Packing packing(segs, 4, side);
    std::vector<float> padded(4), rows(2);
    unpack({x.data(), 2, 1}, packing, 9, {padded.data(), 4, 1});
    pack({padded.data(), 4, 1}, packing, {rows.data(), 2, 1});
    const MatrixView<float> view(rows.data(), 2, 1);
    position_embedding_forward(runtime, {}, {table.data(), 4, 1}, segs, {}, view, view);
    EXPECT_EQ(rows, (std::vector<float>{11, 22}));
  }
}

TEST(PositionEmbedding, TheWavesAreThoseOfThePaper) {
  Matrix<float> table(1001, 7);
  fill(table.view(), std::numeric_limits<float>::quiet_NaN());
  sinusoidal_positions(table.view());
  Matrix<float> expected(1001, 7);
  reference::sinusoidal_positions<float>(expected.view());
  testing::expect_same_bits(table.cells(), expected.cells());
  for (std::size_t p = 0; p < table.rows(); ++p) {
    for (std::size_t c = 0; c < 7; ++c) {
      const std::size_t pair = c / 2 * 2;  // two columns turn alike
      const double angle =
          static_cast<double>(p) / std::pow(10000.0, static_cast<double>(pair) / 7);
      // Half a last place of 1.
      EXPECT_NEAR(table(p, c), c % 2 == 0 ? std::sin(angle) : std::cos(angle), 0x1.01p-25);
    }
  }
}

TEST(PositionEmbedding, RefusesASequenceLongerThanTheTable) {
  Runtime runtime;
  std::vector<float> cells(16, 9);
  const Segments segs = Segments::from_lengths(std::vector<std::size_t>{1, 3});
  const MatrixView<float> x(cells.data(), 4, 1), table(cells.data() + 8, 2, 1);
  const std::string expected =
      ": sequence 1 has 3 rows from position 0 on, expected them in [0, 2) (what the table holds); "
      "cut it, or make a longer table";
  EXPECT_EQ(testing::refusal<ValueError>(
                [&] { position_embedding_forward(runtime, {}, table, segs, {}, x, x); }),
            "position_embedding_forward" + expected);
  EXPECT_EQ(testing::refusal<ValueError>(
                [&] { position_embedding_backward(runtime, {}, segs, {}, x, table); }),
            "position_embedding_backward" + expected);
  EXPECT_EQ(cells, std::vector<float>(16, 9));
}

TEST(PositionEmbedding, RefusesShapesThatDoNotFit) {
  Runtime runtime;
  std::vector<float> cells(16);
  const Segments segs = Segments::from_lengths(std::vector<std::size_t>{1, 3});
  const MatrixView<float> x(cells.data(), 4, 1), table(cells.data(), 4, 2);
  EXPECT_THROW(position_embedding_forward(runtime, {}, table, segs, {}, x, x), ShapeError);
  const Shards wrong(3);
  EXPECT_THROW(position_embedding_backward(runtime, {.shards = &wrong}, segs, {}, x, x),
               ShapeError);
}

}  // namespace
}  // namespace padless
