#include "padless/core/matrix.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

namespace padless {
namespace {

TEST(Matrix, StartsAtZeroAndAligned) {
  const Matrix<float> m(3, 5);
  for (const float cell : m.cells()) EXPECT_EQ(cell, 0);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(m.data()) % kAlignment, 0u);
}

TEST(Matrix, ACopyIsApartAndAMoveLeavesNothing) {
  Matrix<float> a(2, 2);
  a(1, 0) = 5;
  Matrix<float> b = a;
  b(1, 0) = 6;
  EXPECT_EQ(a(1, 0), 5);
  const Matrix<float> c = std::move(b);
  EXPECT_EQ(c(1, 0), 6);
  EXPECT_EQ(b.cells().size(), 0u);  // NOLINT(bugprone-use-after-move): that is what is tested
}

TEST(Matrix, OfMoreThanAddressesGoIsRefused) {
  constexpr std::size_t kHalf = std::size_t{1} << 32;
  EXPECT_THROW(Matrix<float>(kHalf, kHalf), std::bad_array_new_length);
}

TEST(MatrixView, CutsRowsAndColumns) {
  Matrix<int> m(4, 6);
  int next = 0;
  for (int& cell : m.cells()) cell = next++;
  const MatrixView<const int> part = std::as_const(m).view().rows_at(1, 2).cols_at(2, 3);
  EXPECT_EQ(part.rows(), 2u);
  EXPECT_EQ(part.cols(), 3u);
  EXPECT_EQ(part(0, 0), 8);
  EXPECT_EQ(part(1, 2), 16);
  EXPECT_EQ(part.row(1).front(), 14);
}

TEST(MatrixView, OfNoRowsHasNoCells) {
  Matrix<float> m(0, 7);
  EXPECT_EQ(m.view().rows(), 0u);
  fill(m.view(), 1.0f);
  EXPECT_TRUE(m.cells().empty());
}

}  // namespace
}  // namespace padless
