#include "padless/ops/embedding.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "padless/batch/shards.h"
#include "padless/core/error.h"
#include "padless/reference/embedding.h"
#include "padless/testing/bits.h"
#include "padless/testing/contract.h"
#include "padless/testing/refusal.h"

namespace padless {
namespace {

using testing::Axis;
using testing::Operands;

testing::Subject embedding(std::size_t vocabulary, std::size_t width) {
  testing::Subject subject{
      .name = "embedding",
      .parameters =
          {{.name = "table", .axis = Axis::fixed, .cols = width, .fixed_rows = vocabulary}},
      .outputs = {{.name = "out", .cols = width}},
      .ids_below = vocabulary,
      .id_table = "table",
      .run = [](Runtime& runtime, const Pass& pass, const Segments&, const Operands<float>& o) {
        const auto ids = testing::int32s(*o.ids);
        embedding_forward(runtime, pass, o.parameters[0], ids, o.outputs[0]);
        embedding_backward(runtime, pass, ids, o.d_outputs[0], o.d_parameters[0]);
      }};
  subject.set_reference(
      []<class Real>(const Pass& pass, const Segments& segs, const Operands<Real>& o) {
        const Shards shards = pass.shards != nullptr ? *pass.shards : Shards(segs.total());
        const auto ids = testing::int32s(*o.ids);
        reference::embedding_forward<Real>(o.parameters[0], ids, o.outputs[0]);
        reference::embedding_backward<Real>(ids, o.d_outputs[0], shards, o.d_parameters[0]);
      });
  return subject;
}

TEST(Embedding, KeepsTheContract) {
  // Every id often; some not at all, and more than one item of ids.
  expect_contract(embedding(5, 19));
  expect_contract(embedding(300, 1));
  expect_contract(embedding(40, 50));
}

TEST(Embedding, LeavesTheRowsOfAbsentIdsAsTheyAre) {
  const std::vector<std::int32_t> ids = {2, 2};
  const std::vector<float> d_out = {1, 2};
  testing::for_each_runtime([&](Runtime& runtime) {
    // Adding 0 would turn -0 into +0.
    std::vector<float> d_table = {-0.0f, -0.0f, 1, std::numeric_limits<float>::quiet_NaN()};
    embedding_backward(runtime, {}, ids, {d_out.data(), 2, 1}, {d_table.data(), 4, 1});
    testing::expect_same_bits(
        d_table, std::vector<float>{-0.0f, -0.0f, 4, std::numeric_limits<float>::quiet_NaN()});
  });
}

// By hand: four shards of one row each, the id absent from the second. Shards 2 and 3 are added
// first, (1) + (2^-24 + 2^-24); a tree of the three that are there would lose them one by one.
TEST(Embedding, AnAbsentShardKeepsItsPlaceInTheTree) {
  const std::vector<std::int32_t> ids = {0, 1, 0, 0};
  const std::vector<float> d_out = {1, 5, 0x1p-24f, 0x1p-24f};
  const Segments rows = Segments::from_lengths(std::vector<std::size_t>{1, 1, 1, 1});
  const Shards shards = Shards::of_items(rows, 4).inner(rows);
  testing::for_each_runtime([&](Runtime& runtime) {
    std::vector<float> d_table(2);
    embedding_backward(runtime, {.shards = &shards}, ids, {d_out.data(), 4, 1},
                       {d_table.data(), 2, 1});
    testing::expect_same_bits(d_table, std::vector<float>{1 + 0x1p-23f, 5});
  });
}

TEST(Embedding, RefusesAnIdOutsideTheTableBeforeItWrites) {
  Runtime runtime;
  const std::vector<float> table(6, 1);
  std::vector<float> out(6, 9), d_table(6, 9);
  const MatrixView<float> rows(out.data(), 3, 2), gradient(d_table.data(), 3, 2);
  for (const std::int32_t wrong : {3, -1, std::numeric_limits<std::int32_t>::min()}) {
    const std::vector<std::int32_t> ids = {0, 2, wrong};
    EXPECT_THROW(embedding_forward(runtime, {}, {table.data(), 3, 2}, ids, rows), ValueError);
    EXPECT_THROW(embedding_backward(runtime, {}, ids, rows, gradient), ValueError);
  }
  EXPECT_EQ(out, std::vector<float>(6, 9));
  EXPECT_EQ(d_table, std::vector<float>(6, 9));
  EXPECT_EQ(testing::refusal<ValueError>([&] {
              embedding_forward(runtime, {}, {table.data(), 3, 2},
                                std::vector<std::int32_t>{0, 3, 1}, rows);
            }),
            "embedding_forward: ids[1] is 3, expected an id in [0, 3) (the rows of the table)");
}

TEST(Embedding, RefusesShapesThatDoNotFit) {
  Runtime runtime;
  std::vector<float> cells(12);
  const std::vector<std::int32_t> ids = {0, 1};
  EXPECT_THROW(embedding_forward(runtime, {}, {cells.data(), 2, 2}, ids, {cells.data() + 4, 2, 3}),
               ShapeError);
  const Shards wrong(3);
  EXPECT_THROW(embedding_backward(runtime, {.shards = &wrong}, ids, {cells.data(), 2, 2},
                                  {cells.data() + 4, 2, 2}),
               ShapeError);
}

}  // namespace
}  // namespace padless
