#include "padless/ops/product.h"

#include <gtest/gtest.h>

#include <vector>

#include "padless/core/error.h"
#include "padless/core/rng.h"
#include "padless/testing/bits.h"
#include "padless/testing/contract.h"

namespace padless {
namespace {

TEST(MultiplyBy, MultipliesEveryElementOnceForAnyNumberOfThreads) {
  Rng rng(1);
  const Matrix<float> x = rng.normal(600, 7, 1);
  const Matrix<float> y = rng.normal(600, 7, 1);
  std::vector<float> expected;
  for (std::size_t i = 0; i < x.cells().size(); ++i) {
    expected.push_back(y.cells()[i] * x.cells()[i]);
  }
  testing::for_each_runtime([&](Runtime& runtime) {
    Matrix<float> product = y;
    multiply_by(runtime, {}, x.view(), product.view());
    testing::expect_same_bits(product.cells(), expected);
  });
}

TEST(MultiplyBy, RefusesShapesThatDoNotFit) {
  Runtime runtime;
  Matrix<float> y(2, 3);
  EXPECT_THROW(multiply_by(runtime, {}, Matrix<float>(2, 4).view(), y.view()), ShapeError);
}

}  // namespace
}  // namespace padless
