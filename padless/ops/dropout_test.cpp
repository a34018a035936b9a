#include "padless/ops/dropout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "padless/core/error.h"
#include "padless/core/rng.h"
#include "padless/reference/dropout.h"
#include "padless/testing/bits.h"
#include "padless/testing/contract.h"

namespace padless {
namespace {

using testing::Operands;

constexpr std::uint32_t kOp = 7;

testing::Subject dropout(std::size_t width, float p) {
  testing::Subject subject{
      .name = "dropout",
      .inputs = {{.name = "x", .cols = width}},
      .outputs = {{.name = "out", .cols = width}},
      .run = [p](Runtime& runtime, const Pass& pass, const Segments&, const Operands<float>& o) {
        dropout_forward(runtime, pass, p, kOp, o.inputs[0], o.outputs[0]);
        dropout_backward(runtime, pass, p, kOp, o.d_outputs[0], o.d_inputs[0]);
      }};
  subject.set_reference(
      [p]<class Real>(const Pass& pass, const Segments&, const Operands<Real>& o) {
        const auto threshold = static_cast<std::uint32_t>(std::lround(p * 65536));
        const auto key = draw_key(pass.seed, pass.step, kOp);
        reference::dropout<Real>(o.inputs[0], threshold, key, *pass.documents,
                                 pass.document_numbers, o.outputs[0]);
        reference::dropout<Real>(o.d_outputs[0], threshold, key, *pass.documents,
                                 pass.document_numbers, o.d_inputs[0]);
      });
  return subject;
}

TEST(Dropout, KeepsTheContract) {
  for (const float p : {0.0f, 0.25f, 0.9f}) expect_contract(dropout(19, p));
  expect_contract(dropout(1, 0.5f));
  expect_contract(dropout(300, 0.5f));
}

// Key, counter, 16 bits an element, rounded p: written down a second time.
TEST(Dropout, DrawsTheBitsThatTheOrderNames) {
  constexpr std::size_t kRows = 3, kWidth = 21;
  constexpr float kP = 0.3f;  // 19660.8 / 65536
  const Segments documents = Segments::from_lengths(std::vector<std::size_t>{1, 0, 2});
  const std::vector<std::uint64_t> numbers = {5, 6, 0xabcd00000007};
  const Pass pass{.training = true,
                  .seed = 0x123456789,
                  .step = 4,
                  .documents = &documents,
                  .document_numbers = numbers};
  const Matrix<float> x = Rng(1).normal(kRows, kWidth, 1);
  std::vector<float> expected;
  const auto draw = philox({4, kOp, 0, 0}, {0x23456789, 1});
  const std::array<std::uint32_t, 3> low = {5, 7, 7}, high = {0, 0xabcd0000, 0xabcd0000},
                                     row = {0, 0, 1};
  for (std::uint32_t t = 0; t < kRows; ++t) {
    for (std::uint32_t c = 0; c < kWidth; ++c) {
      const auto words = philox({low[t], row[t], high[t], c / 8}, {draw[0], draw[1]});
      const std::uint32_t bits = (words[c % 8 / 2] >> (c % 2 * 16)) & 0xffff;
      expected.push_back(bits >= 19661 ? x(t, c) * (65536.0f / (65536 - 19661)) : 0);
    }
  }
  testing::for_each_runtime([&](Runtime& runtime) {
    Matrix<float> out(kRows, kWidth);
    dropout_forward(runtime, pass, kP, kOp, x.view(), out.view());
    testing::expect_same_bits(out.cells(), expected);
  });
}

TEST(Dropout, KeepsBitsThatEqualTheThreshold) {
  const auto key = draw_key(0, 0, kOp);
  const std::uint32_t bits = philox({0, 0, 0, 0}, key)[0] & 0xffff;  // row 0, column 0
  const float x = 1;
  testing::for_each_runtime([&](Runtime& runtime) {
    const auto dropped = [&](std::uint32_t threshold) {
      float out = -1;
      dropout_forward(runtime, {.training = true}, static_cast<float>(threshold) / 65536, kOp,
                      {&x, 1, 1}, {&out, 1, 1});
      return out == 0;
    };
    EXPECT_FALSE(dropped(bits));
    EXPECT_TRUE(dropped(bits + 1));
  });
}

TEST(Dropout, DropsTheShareThatIsAskedForAndKeepsTheMean) {
  Runtime runtime;
  constexpr std::size_t kRows = 1000, kWidth = 200;
  Matrix<float> ones(kRows, kWidth);
  fill(ones.view(), 1.0f);
  for (const double p : {0.1, 0.5}) {
    for (const Pass& pass : {Pass{.training = true}, Pass{.training = true, .step = 1}}) {
      Matrix<float> out(kRows, kWidth);
      dropout_forward(runtime, pass, static_cast<float>(p), kOp, std::as_const(ones).view(),
                      out.view());
      const auto kept =
          static_cast<double>(std::ranges::count_if(out.cells(), [](float v) { return v != 0; }));
      constexpr double kCells = kRows * kWidth;
      // Five standard deviations of a binomial draw, and what rounding p to 16 bits moves.
      EXPECT_NEAR(kept / kCells, 1 - p, 5 * std::sqrt(p * (1 - p) / kCells) + 0x1p-17);
    }
  }
}

TEST(Dropout, AnotherStepSeedOrOpDrawsAnotherMask) {
  Runtime runtime;
  Matrix<float> ones(4, 40);
  fill(ones.view(), 1.0f);
  const auto mask = [&](const Pass& pass, std::uint32_t op) {
    Matrix<float> out(4, 40);
    dropout_forward(runtime, pass, 0.5f, op, std::as_const(ones).view(), out.view());
    return std::vector<float>(out.cells().begin(), out.cells().end());
  };
  const auto first = mask({.training = true}, 1);
  EXPECT_EQ(mask({.training = true}, 1), first);
  EXPECT_NE(mask({.training = true}, 2), first);
  EXPECT_NE(mask({.training = true, .seed = 1}, 1), first);
  EXPECT_NE(mask({.training = true, .step = 1}, 1), first);
}

TEST(Dropout, CopiesOutsideTrainingAndWhereNothingIsDropped) {
  std::vector<float> x = {1, -0.0f, std::numeric_limits<float>::infinity(), 0x1p-149f};
  testing::for_each_runtime([&](Runtime& runtime) {
    std::vector<float> out(4);
    dropout_forward(runtime, {}, 0.5f, kOp, {x.data(), 1, 4}, {out.data(), 1, 4});
    testing::expect_same_bits(out, x);
    for (const float p : {0.0f, 0x1p-18f}) {
      std::vector<float> copy(4);
      dropout_backward(runtime, {.training = true}, p, kOp, {x.data(), 1, 4}, {copy.data(), 1, 4});
      testing::expect_same_bits(copy, x);
    }
  });
}

TEST(Dropout, WhatIsDroppedInfluencesNothing) {
  Matrix<float> x(1, 64), out(1, 64);
  fill(x.view(), std::numeric_limits<float>::quiet_NaN());
  testing::for_each_runtime([&](Runtime& runtime) {
    dropout_forward(runtime, {.training = true}, 0.5f, kOp, std::as_const(x).view(), out.view());
    EXPECT_GT(std::ranges::count(out.cells(), 0.0f), 10);
  });
}

TEST(Dropout, WorksInPlace) {
  const Matrix<float> x = Rng(2).normal(5, 33, 1);
  testing::for_each_runtime([&](Runtime& runtime) {
    Matrix<float> apart(5, 33), same = x;
    const Pass pass{.training = true};
    dropout_forward(runtime, pass, 0.4f, kOp, x.view(), apart.view());
    dropout_forward(runtime, pass, 0.4f, kOp, std::as_const(same).view(), same.view());
    testing::expect_same_bits(same.cells(), apart.cells());
  });
}

TEST(Dropout, RefusesWhatItCannotDraw) {
  Runtime runtime;
  std::vector<float> cells(8);
  const MatrixView<const float> x(cells.data(), 2, 2);
  const MatrixView<float> out(cells.data() + 4, 2, 2);
  for (const float p : {-0.1f, 1.0f, 0.999999f, std::numeric_limits<float>::quiet_NaN()}) {
    EXPECT_THROW(dropout_forward(runtime, {.training = true}, p, kOp, x, out), ValueError) << p;
    EXPECT_THROW(dropout_forward(runtime, {}, p, kOp, x, out), ValueError) << p;
  }
  EXPECT_THROW(dropout_forward(runtime, {}, 0.5f, kOp, x, {cells.data(), 2, 1}), ShapeError);

  const Segments documents = Segments::from_lengths(std::vector<std::size_t>{1, 1});
  const Segments wrong = Segments::from_lengths(std::vector<std::size_t>{1, 2});
  const std::vector<std::uint64_t> numbers = {0, 1}, large = {0, std::uint64_t{1} << 48};
  const auto drop = [&](const Segments& segs, std::span<const std::uint64_t> of) {
    dropout_forward(runtime, {.training = true, .documents = &segs, .document_numbers = of}, 0.5f,
                    kOp, x, out);
  };
  EXPECT_NO_THROW(drop(documents, numbers));
  EXPECT_THROW(drop(wrong, numbers), ShapeError);
  EXPECT_THROW(drop(documents, std::span(numbers).first(1)), ShapeError);
  EXPECT_THROW(drop(documents, large), ValueError);
}

}  // namespace
}  // namespace padless
