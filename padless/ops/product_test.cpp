#include "padless/ops/product.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "padless/core/error.h"
#include "padless/core/rng.h"
#include "padless/testing/bits.h"
#include "padless/testing/contract.h"

namespace padless {
namespace {

using testing::Operands;

// to = a * b, by the op, which multiplies in place.
void product(Runtime& runtime, const Pass& pass, MatrixView<const float> a,
             MatrixView<const float> b, MatrixView<float> to) {
  for (std::size_t t = 0; t < a.rows(); ++t) std::ranges::copy(a.row(t), to.row(t).begin());
  multiply_by(runtime, pass, b, to);
}

TEST(MultiplyBy, KeepsTheContract) {
  constexpr std::size_t kWidth = 19;
  testing::Subject subject{
      .name = "multiply_by",
      .inputs = {{.name = "x", .cols = kWidth}, {.name = "y", .cols = kWidth}},
      .outputs = {{.name = "out", .cols = kWidth}},
      .run = [](Runtime& runtime, const Pass& pass, const Segments&, const Operands<float>& o) {
        product(runtime, pass, o.inputs[1], o.inputs[0], o.outputs[0]);
        product(runtime, pass, o.d_outputs[0], o.inputs[1], o.d_inputs[0]);
        product(runtime, pass, o.d_outputs[0], o.inputs[0], o.d_inputs[1]);
      }};
  subject.set_reference([]<class Real>(const Pass&, const Segments& segs, const Operands<Real>& o) {
    for (std::size_t t = 0; t < segs.total(); ++t) {
      for (std::size_t c = 0; c < kWidth; ++c) {
        o.outputs[0](t, c) = o.inputs[1](t, c) * o.inputs[0](t, c);
        o.d_inputs[0](t, c) = o.d_outputs[0](t, c) * o.inputs[1](t, c);
        o.d_inputs[1](t, c) = o.d_outputs[0](t, c) * o.inputs[0](t, c);
      }
    }
  });
  expect_contract(subject);
}

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

TEST(MultiplyBy, OfNothingDoesNothing) {
  Runtime runtime;
  Matrix<float> no_rows(0, 3), no_cols(3, 0);
  EXPECT_NO_THROW(multiply_by(runtime, {}, Matrix<float>(0, 3).view(), no_rows.view()));
  EXPECT_NO_THROW(multiply_by(runtime, {}, Matrix<float>(3, 0).view(), no_cols.view()));
}

TEST(MultiplyBy, RefusesShapesThatDoNotFit) {
  Runtime runtime;
  Matrix<float> y(2, 3);
  EXPECT_THROW(multiply_by(runtime, {}, Matrix<float>(2, 4).view(), y.view()), ShapeError);
}

}  // namespace
}  // namespace padless
